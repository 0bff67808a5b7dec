import { SkeinError } from '@skein/core';

/** Thrown for cassettes that cannot be read, or must not be written. */
export class CassetteError extends SkeinError {
  override readonly name = 'CassetteError';
  readonly code: 'unreadable_cassette' | 'secret_in_cassette';

  constructor(code: CassetteError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
