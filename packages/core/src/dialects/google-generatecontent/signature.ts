import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import { synthesised } from '../write/notes.ts';
import type { Target } from '../write/writer.ts';

/** Passes validation in the place of a signature: Google's own way to bring in calls that carry none (`escape`). */
export const PLACEHOLDER = '"skip_thought_signature_validator"';

/** Whether the first call of a message must be signed (`sig-missing`). */
export function isSignatureRequired(target: Target, model: string = target.model): boolean {
  const quirk = target.provider.policies.quirks.signatureRequired;
  return quirk !== undefined && forModel(quirk, model) === true;
}

export function placeholderNote(path: string): LossNote {
  return synthesised(path, 'signature-placeholder', 'the call has no signature of this issuer; a placeholder is sent');
}
