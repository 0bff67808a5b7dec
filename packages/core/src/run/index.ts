export {
  applyCheckpoint,
  type Budget,
  type Checkpoint,
  type Compacted,
  type Compaction,
  type CompactionInput,
  cutPoints,
  firstOf,
  keepLast,
  rangeDigest,
  type SummariseOptions,
  summarise,
  withinTokens,
} from './compaction/index.ts';
export { RunError } from './errors.ts';
export type { Observed } from './observed.ts';
export { pendingCalls } from './pending.ts';
export { run } from './run.ts';
export { runWith } from './run-with.ts';
export { samples } from './samples.ts';
export type { ToResponseOptions } from './to-response.ts';
export { estimateTokens } from './tokens.ts';
export type { Action } from './tools/answer-calls.ts';
export type { InferSchema } from './tools/infer-schema.ts';
export type { Approval, Outcome } from './tools/prepare.ts';
export { type ToolOptions, tool } from './tools/tool.ts';
export type { CheckResult, Finding, StandardSchema, Tool, ToolContext, ToolOutput } from './tools/types.ts';
export type {
  Connecting,
  CostOf,
  Limits,
  ModelChoice,
  ModelLimits,
  ModelLimitsOf,
  NotAwaitable,
  Notice,
  Outgoing,
  Run,
  RunEvent,
  RunOptions,
  RunResult,
  RunState,
  RunStop,
  Step,
} from './types.ts';
