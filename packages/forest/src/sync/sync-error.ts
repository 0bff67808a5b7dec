import { SkeinError, type SkeinErrorCode } from '@skein/core';

/**
 * - `sync_refused`: a record does not match its hash, or the other side sent something else than was asked for; nothing
 *   of that batch was written.
 * - `sync_version`: the other side speaks another version of the protocol; nothing was written.
 */
export type SyncErrorCode = Extract<SkeinErrorCode, `sync_${string}`>;

/** Two forests could not be brought together. */
export class SyncError extends SkeinError {
  override readonly name = 'SyncError';
  readonly code: SyncErrorCode;

  constructor(code: SyncErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
