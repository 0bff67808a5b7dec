import {
  explodeParts,
  gatherParts,
  isOwn,
  NO_CALLS,
  type PartForms,
  type RequestWriter,
  translator,
} from '../write/index.ts';
import { field } from './fields.ts';
import { contentText, forms, textPart } from './forms.ts';
import { frame } from './write-frame.ts';
import { spliceMessage } from './write-own.ts';

const { translate, result, userText } = /* @__PURE__ */ translator(forms);

const partForms: PartForms = {
  list: 'parts',
  isResult: (part) => field(part, 'functionResponse') !== undefined,
  userMessage: (parts) => contentText('user', parts),
  textPart,
};

/** Google has no cache markers in its messages: it caches by itself, or by name (`cachedContent`). */
export const writer: RequestWriter = {
  splice(message, target, options) {
    return message.facts.role === 'system'
      ? translate(message, target, NO_CALLS)
      : spliceMessage(message, target, options);
  },
  translate(message, target, calls) {
    const isTakenApart = message.facts.results.length > 0 && isOwn(message, target);
    return isTakenApart
      ? explodeParts(spliceMessage(message, target, { dropBound: false }), calls, partForms)
      : translate(message, target, calls);
  },
  result,
  userText,
  gather: (units) => gatherParts(units, partForms),
  // Contents of one role in a row are one turn: all calls of it are answered together (`count`).
  resultsFollow: 'turn',
  resultsInOrder: true,
  callsFollowUser: true,
  frame,
};
