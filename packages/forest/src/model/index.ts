export { type Clock, createClock, type SiblingTime } from './clock.ts';
export { ECHO_START, ECHO_VERSION, type Echo, extendEcho } from './echo.ts';
export { sha256 } from './hash.ts';
export { isMessage } from './is-message.ts';
export { ID_LENGTH, isIdPrefix, nodeId, ROOT } from './node-id.ts';
export { type PackedBytes, packBytes, packedText, unpackBytes } from './packed-bytes.ts';
export type {
  BodyRecord,
  EntryKind,
  EntryRecord,
  NodeRecord,
  RefRecord,
  StoredText,
  StoreRecord,
  TakeContext,
  TakeRecord,
} from './records.ts';
export { DEMO_ISSUER, ENTRY_KINDS } from './records.ts';
export { searchText, wordsOf } from './search-text.ts';
export { restoreManifest, type StoredManifest, storeManifest } from './stored-manifest.ts';
export { takeOf } from './take.ts';
