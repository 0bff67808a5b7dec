export { applyCheckpoint, type Checkpoint, rangeDigest } from './checkpoint.ts';
export { cutPoints } from './cut-points.ts';
export { firstOf, keepLast, withinTokens } from './strategies.ts';
export { type SummariseOptions, summarise } from './summarise.ts';
export type { Budget, Compacted, Compaction, CompactionInput } from './types.ts';
