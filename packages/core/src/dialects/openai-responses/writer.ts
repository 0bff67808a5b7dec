import { isOwn, type RequestWriter, translator } from '../write/index.ts';
import { settleComputers } from './client-calls.ts';
import { forms } from './forms.ts';
import { spliceMessage } from './splice.ts';
import { frame, standsInline } from './write-frame.ts';

const { translate, result, userText } = /* @__PURE__ */ translator(forms);

export const writer: RequestWriter = {
  splice: spliceMessage,
  translate(message, target, calls) {
    // An own message comes here when it stands twice, which is refused only of what has an id (`id-dup`).
    const isNameless = isOwn(message, target) && !message.facts.needs.length && !message.raw.includes('"id"');
    return isNameless ? spliceMessage(message, target, { dropBound: false }) : translate(message, target, calls);
  },
  result,
  userText,
  gather: () => undefined,
  resultsFollow: 'message',
  refusesRepeats: true,
  settle: settleComputers,
  continues: ({ previous_response_id: response = 'null', conversation = 'null' }) =>
    response !== 'null' || conversation !== 'null',
  standsInline,
  frame,
};
