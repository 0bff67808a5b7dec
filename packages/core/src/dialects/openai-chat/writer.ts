import { NO_CALLS, type RequestWriter, translator } from '../write/index.ts';
import { forms } from './forms.ts';
import { gather } from './gather.ts';
import { spliceMessage } from './splice-message.ts';
import { frame, takesSystem } from './write-frame.ts';

const { translate, result, userText } = /* @__PURE__ */ translator(forms);

export const writer: RequestWriter = {
  splice(message, target, options) {
    const isRefused = message.facts.role === 'system' && !takesSystem(target);
    return isRefused ? translate(message, target, NO_CALLS) : spliceMessage(message, target, options);
  },
  translate,
  result,
  userText,
  gather,
  resultsFollow: 'message',
  frame,
};
