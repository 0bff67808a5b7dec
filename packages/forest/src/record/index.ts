export { readAddress } from './describe-request.ts';
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
export { type RecordFetch, type RecordFetchOptions, recordFetch } from './record-fetch.ts';
export {
  createRecorder,
  type Recorder,
  type RecorderOptions,
  type RequestToRecord,
} from './recorder.ts';
export type { Recording } from './recording.ts';
export { createReplayer, type Replayer } from './replay.ts';
export { forgetOld, oldestShown, type Retention } from './retention.ts';
