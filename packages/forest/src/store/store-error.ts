import { SkeinError, type SkeinErrorCode } from '@skein/core';

/** A store could not do what it was asked to do. */
export class StoreError extends SkeinError {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * - `store_full`: no space is left; nothing was written.
 * - `store_failed`: the disk refused; the message says whether the batch may have been written.
 * - `store_read_only`: a newer version wrote the data, or this user may not write it.
 * - `store_in_use`: other processes write there.
 * - `store_closed`: the store was closed before the call.
 * - `store_name`: the project, folder or address is invalid.
 * - `store_record`: the value is not a record.
 * - `store_cursor`: the cursor does not come from a page of this list.
 * - `store_unreachable`: the database cannot be reached; the batch may have been written, and repeating it is safe.
 * - `store_refused`: the database refuses this user.
 * - `store_conflict`: two writers collided; nothing was written, so repeat the call.
 */
export type StoreErrorCode = Extract<SkeinErrorCode, `store_${string}`>;
