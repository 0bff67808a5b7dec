/** Stores: the interface and what all stores share, the store in memory, in files (`file/`) and in PostgreSQL (`postgres/`). */
export type { FileStoreOptions } from './file/file-store.ts';
export { memoryStore } from './memory-store.ts';
export { fileStore, type PostgresOptions, postgresStore } from './open-stores.ts';
export {
  type Change,
  type Changes,
  type CompactionCount,
  type EntryQuery,
  type FactStore,
  type FactVersion,
  type IdChain,
  type MonthPartitions,
  overlayStore,
  type Page,
  type PageRequest,
  type RefQuery,
  type SearchHit,
  type SearchQuery,
  type Store,
  StoreError,
  type StoreErrorCode,
  type StoreProblem,
} from './store.ts';
