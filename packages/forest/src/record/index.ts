/**
 * Recording. On the way in: `record-fetch` or the proxy hands an exchange to the `recorder`, which stores it through a
 * `recording`, described by `describe-request`, as the records of `exchange`. On the way to the tree, in `projection/`: the
 * `projector` reads it (`read-exchange`), gives it a place (`place-exchange`, by the `placement-rules`) and writes that
 * (`tree-writer`).
 */
export { type BacklogOptions, type BacklogState, createBacklog, type RecordingBacklog } from './backlog.ts';
export { readAddress } from './describe-request.ts';
export {
  countPart,
  EXCHANGES,
  type Exchange,
  type GatewayUse,
  isWhole,
  readExchangeRecord,
  type StoredBytes,
  type UpstreamSide,
} from './exchange.ts';
export {
  createWordChain,
  findReplies,
  type GatewayReply,
  issuedIds,
  readDelivered,
  readGatewayReply,
  replyIdKeys,
  showsTheSame,
  type WordChain,
} from './gateway-replies.ts';
export {
  type ExchangeFilters,
  type ListedExchange,
  listExchanges,
  type RecordedExchange,
  readRecorded,
  type StatusClass,
} from './list-exchanges.ts';
export { type Placement, placedNodes, readPlacement } from './placement.ts';
export { projectSecrets } from './project-secrets.ts';
export { PLACEMENT_REF } from './projection/placement-refs.ts';
export { reproject } from './projection/projector.ts';
export { forkedThreadId } from './projection/recorded-index.ts';
export { type RecordFetch, type RecordFetchOptions, recordFetch } from './record-fetch.ts';
export {
  createRecorder,
  type Recorder,
  type RecorderOptions,
  type RequestToRecord,
} from './recorder.ts';
export type { Recording } from './recording.ts';
export { createReplayer, type ReplayEvent, type Replayer, type ReplayerOptions } from './replay.ts';
export { forgetMonths, forgetOld, forgetRecordings, oldestShown, type Retention } from './retention.ts';
export { type RouteUsage, readRouteUsage } from './route-usage.ts';
export type { UpstreamRequest } from './upstream-recording.ts';
export { RecordingError } from './waiting-records.ts';
