/** What a forest refuses to do; nothing was changed. */
export class ForestError extends Error {
  readonly code: ForestErrorCode;
  /** The node, thread or id at fault. */
  readonly subject: string;

  constructor(code: ForestErrorCode, subject: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ForestError';
    this.code = code;
    this.subject = subject;
  }
}

export type ForestErrorCode =
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
  | 'clock_ahead';
