import { type RequestWriter, translator } from '../write/index.ts';
import { forms } from './forms.ts';
import { gather } from './gather.ts';
import { spliceMessage } from './splice-message.ts';
import { frame } from './write-frame.ts';

export const writer: RequestWriter = {
  .../* @__PURE__ */ translator(forms),
  splice: spliceMessage,
  gather,
  resultsFollow: 'message',
  frame,
};
