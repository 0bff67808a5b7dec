import type { Message } from '../../message/index.ts';
import { splicer, type Target } from '../write/index.ts';
import { isSignatureRequired } from './forms.ts';
import { repair } from './repair.ts';

export const spliceMessage = /* @__PURE__ */ splicer({ isDoubtful: isPossiblyUnsigned, repair });

/** Models that sign always sign the first call: their messages need no look (`sig-missing`). */
function isPossiblyUnsigned({ facts, origin }: Message, target: Target): boolean {
  if (facts.calls.length === 0 || !isSignatureRequired(target)) return false;
  const isSigned = origin.model !== undefined && isSignatureRequired(target, origin.model);
  return !(isSigned && facts.needs.includes('bound'));
}
