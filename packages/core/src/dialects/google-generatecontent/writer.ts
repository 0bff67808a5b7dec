import { translator } from '../write/translate.ts';
import { isOwn } from '../write/units.ts';
import type { RequestWriter } from '../write/writer.ts';
import { forms } from './forms.ts';
import { frame } from './write-frame.ts';
import { explodeOwn, gather, spliceMessage } from './write-own.ts';

const { translate, result, userText } = /* @__PURE__ */ translator(forms);

/** Google has no cache markers in its messages: it caches by itself, or by name (`cachedContent`). */
export const writer: RequestWriter = {
  splice(message, target, { dropBound }) {
    return message.facts.role === 'system'
      ? translate(message, target, { find: () => undefined })
      : spliceMessage(message, target, dropBound);
  },
  translate(message, target, calls) {
    const isTakenApart = message.facts.results.length > 0 && isOwn(message, target);
    return isTakenApart ? explodeOwn(message, target, calls) : translate(message, target, calls);
  },
  result,
  userText,
  gather,
  // Contents of one role in a row are one turn: all calls of it are answered together (`count`).
  resultsFollow: 'turn',
  callsFollowUser: true,
  frame,
};
