import { type ForestErrorCode, SkeinError } from '@skein/core';

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
