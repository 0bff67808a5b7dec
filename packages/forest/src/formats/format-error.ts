import { isSkeinError, SkeinError, type SkeinErrorCode } from '@skein/core';

/** A source cannot be imported, or a forest cannot be exported as requested. Nothing of it was written. */
export class FormatError extends SkeinError {
  override readonly name = 'FormatError';
  readonly code: FormatErrorCode;

  constructor(code: FormatErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * - `unknown_format`: nothing in the source says which format it has, or no importer has the requested name.
 * - `dialect_needed`: bare messages do not say which dialect they are written in.
 * - `wrong_shape`: the source does not have the shape of its format.
 * - `not_json`: the source is not JSON.
 * - `broken_tree`: the messages do not form a tree.
 * - `would_overwrite`: the target folder is not empty.
 * - `would_lose`: the format is exact, and the options would change it.
 */
export type FormatErrorCode = Extract<
  SkeinErrorCode,
  'unknown_format' | 'dialect_needed' | 'wrong_shape' | 'not_json' | 'broken_tree' | 'would_overwrite' | 'would_lose'
>;

/** A `FormatError` for a value that does not have the expected shape. */
export function wrongShape(expected: string, cause?: unknown): FormatError {
  return new FormatError('wrong_shape', `Expected ${expected}.`, cause);
}

/** Whether an element is to blame: it is reported then. A failing store, or a mistake of ours, ends the import. */
export function isElementError(error: unknown): error is SkeinError {
  return isSkeinError(
    error,
    'unknown_format',
    'wrong_shape',
    'not_json',
    'broken_tree',
    'would_overwrite',
    'invalid_json',
    'invalid_blocks_message',
    'invalid_legacy_message',
    'unreadable_messages',
    'not_this_protocol',
  );
}
