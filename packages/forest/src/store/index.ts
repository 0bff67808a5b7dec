export { type FileStoreOptions, fileStore } from './file/file-store.ts';
export { memoryStore } from './memory/memory-store.ts';
export { overlayStore } from './overlay-store.ts';
export { type PostgresOptions, postgresStore } from './postgres/postgres-store.ts';
export type {
  Change,
  Changes,
  Compaction,
  EntryQuery,
  IdChain,
  Page,
  PageRequest,
  Problem,
  RefQuery,
  SearchHit,
  SearchQuery,
  Store,
} from './store.ts';
export { StoreError, type StoreErrorCode } from './store-error.ts';
