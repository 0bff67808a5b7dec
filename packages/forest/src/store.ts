/** For those who write a store of their own: what a store promises, and the parts that ours are made of. */
export type {
  BodyRecord,
  EntryKind,
  EntryRecord,
  NodeRecord,
  RefRecord,
  StoreRecord,
  TakeRecord,
} from './model/index.ts';
export { ROOT, splitWords } from './model/index.ts';
export type {
  Change,
  Changes,
  EntryQuery,
  IdChain,
  Page,
  PageRequest,
  Problem,
  RefQuery,
  SearchHit,
  SearchQuery,
  Store,
} from './store/index.ts';
export { StoreError } from './store/index.ts';
export { pageLimit, readCursor, toPage } from './store/page.ts';
export { hashFault, isEntry, recordKey, refKey, toChange } from './store/records.ts';
export { nodeText } from './store/word-index.ts';
