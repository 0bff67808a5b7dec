/** A store that could not do what was asked. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/**
 * `store_full`: no space left; nothing was written. `store_failed`: the disk refused; the message says whether the
 * batch may be there. `store_read_only`: written by a newer version, or not ours to write. `store_in_use`: others
 * write there. `store_closed`: closed before. `store_name`: a project, folder or address that cannot be one.
 * `store_record`: not a record. `store_cursor`: not a place in a list. `store_unreachable`: the database is gone for now; whether the batch is there
 * is not known, and repeating it is safe. `store_refused`: the database does not let us in. `store_conflict`: nothing was
 * written; repeat.
 */
export type StoreErrorCode =
  | 'store_full'
  | 'store_failed'
  | 'store_read_only'
  | 'store_in_use'
  | 'store_closed'
  | 'store_name'
  | 'store_record'
  | 'store_cursor'
  | 'store_unreachable'
  | 'store_refused'
  | 'store_conflict';
