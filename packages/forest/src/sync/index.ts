/** Forests that meet: comparing two forests by summaries of their records, and sending each what it lacks. */

export { meetForest } from './meet-forest.ts';
export { folderPacks } from './packs/folder-packs.ts';
export { gitPacks } from './packs/git-packs.ts';
export { type PackCache, type PackOptions, packPeer } from './packs/pack-peer.ts';
export type { PackCipher, PackStorage } from './packs/pack-place.ts';
export { answerLines, answerSync, remotePeer, type SyncCall } from './protocol.ts';
export type { RecordItem, RecordSummary } from './record-index.ts';
export type { SyncSelection } from './selection.ts';
export { storePeer } from './store-peer.ts';
export { SyncError, type SyncErrorCode } from './sync-error.ts';
export {
  type SyncConflict,
  type SyncDirection,
  type SyncOptions,
  type SyncProgress,
  type SyncResult,
  syncForests,
} from './sync-forests.ts';
export type { LocalPeer, SyncPage, SyncPeer, SyncRecord } from './sync-peer.ts';
export type { HeadPair, ResolvedHead } from './thread-heads.ts';
