/** For authors of stores: the interface of a store, the records it keeps, and the parts that the built-in stores are made of. */
export type {
  BodyRecord,
  EntryKind,
  EntryRecord,
  NodeRecord,
  RefRecord,
  StoreRecord,
  TakeRecord,
} from './model/index.ts';
export { createTake, ECHO_START, extendEcho, nodeId, ROOT, sha256 } from './model/index.ts';
export type {
  Change,
  Changes,
  EntryQuery,
  IdChain,
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
export { nodeText, splitWords } from './store/word-index.ts';
