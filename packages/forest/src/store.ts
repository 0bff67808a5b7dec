/** For authors of stores: the interface of a store, the records it keeps, and the parts that the built-in stores are made of. */

export { ECHO_START, extendEcho } from './model/echo.ts';
export { createTake, nodeId, ROOT, sha256 } from './model/ids.ts';
export type {
  BodyRecord,
  EntryKind,
  EntryRecord,
  NodeRecord,
  RefRecord,
  StoreRecord,
  TakeRecord,
} from './model/records.ts';
export type {
  Change,
  Changes,
  EntryQuery,
  FactStore,
  FactVersion,
  IdChain,
  MonthPartitions,
  Page,
  PageRequest,
  RefQuery,
  SearchHit,
  SearchQuery,
  Store,
  StoreProblem,
} from './store/index.ts';
export { overlayStore, StoreError } from './store/index.ts';
export { pageLimit, readCursor, toPage } from './store/page.ts';
export { hashFault, isEntry, recordKey, refKey, toChange } from './store/records.ts';
export { indexWords, nodeText, splitWords } from './store/word-index.ts';
