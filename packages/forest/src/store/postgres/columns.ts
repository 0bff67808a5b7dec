/** What a record is read from. Named one by one: a later migration may add columns while this code runs. */
export const NODE_COLUMNS = ['id', 'parent', 'depth', 'dialect', 'body', 'echo', 'lead', 'at', 'rest'] as const;
export const OTHER_COLUMNS = ['digest', 'record'] as const;
export const TAKE_COLUMNS = ['id', 'node', 'at', 'rest'] as const;
export const REF_COLUMNS = ['on', 'key', 'name', 'clock', 'rest'] as const;
export const ENTRY_COLUMNS = ['kind', 'id', 'of', 'order', 'clock', 'rest'] as const;
