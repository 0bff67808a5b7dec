import { SkeinError } from '../error.ts';

/** Text that is not the JSON it should be. `offset` counts UTF-16 code units from the start of the text. */
export class JsonTextError extends SkeinError {
  override readonly name = 'JsonTextError';
  readonly code = 'invalid_json';
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(`Invalid JSON at offset ${offset}: ${problem}`);
    this.offset = offset;
  }
}
