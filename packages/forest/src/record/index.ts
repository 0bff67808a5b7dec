export { type Address, readAddress } from './describe-request.ts';
export type { Exchange, ExchangeKind, Outcome } from './exchange.ts';
export {
  type ExchangeFilters,
  type ListedExchange,
  listExchanges,
  type RecordedExchange,
  readRecorded,
  reproject,
  type StatusClass,
} from './list-exchanges.ts';
export type { Placement } from './placement.ts';
export type { ProjectionCounts } from './projection/projector.ts';
export { type FetchLike, type RecordFetch, type RecordFetchOptions, recordFetch } from './record-fetch.ts';
export {
  createRecorder,
  type HeaderPairs,
  type Recorder,
  type RecorderOptions,
  type RecordingForest,
  type RequestToRecord,
} from './recorder.ts';
export type { Recording } from './recording.ts';
export { createReplayer, type Replayer, type ReplayOptions } from './replay.ts';
export { forgetOld, oldestShown, type Retention } from './retention.ts';
