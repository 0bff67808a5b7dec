import { SkeinError, type SkeinErrorCode } from '@skein/core';

/** Why a forest refuses an operation. */
export type ForestErrorCode = Extract<
  SkeinErrorCode,
  | 'unknown_node'
  | 'ambiguous_id'
  | 'not_an_id'
  | 'unknown_thread'
  | 'unknown_bookmark'
  | 'not_text'
  | 'empty_text'
  | 'has_system'
  | 'bad_name'
  | 'bad_page'
  | 'bad_position'
  | 'bookmarked'
  | 'below_itself'
  | 'not_above'
  | 'no_request'
  | 'unknown_body'
  | 'damaged'
  | 'clock_ahead'
>;

/** A forest refused an operation. It changed nothing. */
export class ForestError extends SkeinError {
  override readonly name = 'ForestError';
  readonly code: ForestErrorCode;
  /** The id of the node, thread or bookmark that the operation was refused for. */
  readonly subject: string;

  constructor(code: ForestErrorCode, subject: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.subject = subject;
  }
}
