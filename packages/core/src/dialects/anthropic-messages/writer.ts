import type { RequestWriter } from '../write/writer.ts';
import { mark } from './mark.ts';
import { frame } from './write-frame.ts';
import { translate } from './write-message.ts';
import { spliceMessage } from './write-own.ts';
import { gather, result, userText } from './write-units.ts';

/** Results follow the whole turn: the API joins the messages of a turn before it looks for them (recorded). */
export const writer: RequestWriter = {
  splice: spliceMessage,
  translate,
  result,
  userText,
  gather,
  resultsFollow: 'turn',
  mark,
  frame,
};
