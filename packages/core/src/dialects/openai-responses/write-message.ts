import type { LossNote } from '../loss.ts';
import { stringText } from '../write/text.ts';
import type { RequestWriter } from '../write/writer.ts';
import { outputUnit } from './result.ts';
import { spliceMessage } from './splice.ts';
import { clientItem, inputText, translate } from './translate.ts';
import { frame, standsInline } from './write-frame.ts';

export const writer: RequestWriter = {
  resultsFollow: 'message',
  splice: spliceMessage,
  translate,
  result(call, text, target) {
    const losses: LossNote[] = [];
    return outputUnit(call, stringText(text, 'output', losses), target, losses, '');
  },
  userText(text) {
    const losses: LossNote[] = [];
    const part = inputText(text, 'content', losses);
    return { role: 'user', text: clientItem('user', [part]), calls: [], results: [], losses };
  },
  gather: () => undefined,
  standsInline,
  frame,
};
