import type { RequestWriter } from '../write/writer.ts';
import { spliceMessage } from './splice-message.ts';
import { translateMessage } from './translate-message.ts';
import { frame } from './write-frame.ts';
import { madeResult } from './write-results.ts';
import { gather, userText } from './write-units.ts';

/** Google has no cache markers in its messages: it caches by itself, or by name (`cachedContent`). */
export const writer: RequestWriter = {
  splice: spliceMessage,
  translate: translateMessage,
  result: madeResult,
  userText,
  gather,
  // Contents of one role in a row are one turn: all calls of it are answered together (`count`).
  resultsFollow: 'turn',
  callsFollowUser: true,
  frame,
};
