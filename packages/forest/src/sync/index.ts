/** Forests that meet: comparing two forests by summaries of their records, and sending each what it lacks. */

export { meetForest } from './meet-forest.ts';
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
export type { SyncPage, SyncPeer, SyncRecord } from './sync-peer.ts';
