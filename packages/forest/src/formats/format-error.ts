/** Something from outside that cannot be imported, or cannot be exported as asked. Nothing of it was written. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly code: FormatErrorCode;

  constructor(code: FormatErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * `unknown_format`: nothing says what it is. `dialect_needed`: bare messages do not name their dialect.
 * `wrong_shape`: it is not what its format says. `not_json`: no JSON. `broken_tree`: its messages do not make a tree.
 * `would_overwrite`: files are there already.
 */
export type FormatErrorCode =
  | 'unknown_format'
  | 'dialect_needed'
  | 'wrong_shape'
  | 'not_json'
  | 'broken_tree'
  | 'would_overwrite';

/** The error that a value does not have the shape that its format asks for. */
export function wrongShape(expected: string, cause?: unknown): FormatError {
  return new FormatError('wrong_shape', `Expected ${expected}.`, cause);
}
