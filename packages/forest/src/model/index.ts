export { type Clock, createClock, type SiblingTime } from './clock.ts';
export { DamageError } from './damage.ts';
export { DEFAULT_DIALECT, findFraming } from './dialects.ts';
export { ECHO_START, ECHO_VERSION, type Echo, extendEcho } from './echo.ts';
export { createTake, ID_LENGTH, isIdPrefix, nodeId, ROOT, sha256 } from './ids.ts';
export { restoreManifest, storeManifest } from './manifest.ts';
export {
  type BodyRecord,
  DEMO_ISSUER,
  ENTRY_KINDS,
  type EntryKind,
  type EntryRecord,
  hasMessage,
  type NodeRecord,
  type PackedBytes,
  packBytes,
  packedText,
  type RefRecord,
  type StoredText,
  type StoreRecord,
  type TakeContext,
  type TakeRecord,
  unpackBytes,
} from './records.ts';
export { findSecrets, isSecretParameter, KeyGuard, removeSecrets } from './secrets.ts';
