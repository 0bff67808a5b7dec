import { SkeinError } from '@skein/core';

/** Something stored is missing, or is not what was written. */
export class DamageError extends SkeinError {
  override readonly name = 'DamageError';
  readonly code = 'damaged';
}
