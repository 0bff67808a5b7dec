/** Asking models: the loop of `run`, its options and results, tools and compaction. */
export { applyCheckpoint, type Checkpoint, cutPoints, rangeDigest } from './compaction/checkpoint.ts';
export {
  type Budget,
  type Compaction,
  type CompactionInput,
  type CompactionResult,
  firstOf,
  keepLast,
  type SummariseOptions,
  summarise,
  withinTokens,
} from './compaction/strategies.ts';
export type { ObserverEvent } from './journal.ts';
export type {
  ConnectionOptions,
  CostLookup,
  Limits,
  ModelChoice,
  ModelLimits,
  RunOptions,
} from './options.ts';
export { pendingCalls } from './pending-calls.ts';
export type { Notice, Run, RunEvent, RunResult, RunState, RunStop, Step } from './result.ts';
export { estimateTokens, isRunError, RunError } from './result.ts';
export { run, runWith, samples, type ToResponseOptions } from './run.ts';
export type { Action } from './tools/answer-calls.ts';
export {
  type AnswerSchema,
  type Approval,
  type CheckResult,
  type Finding,
  type InferAnswer,
  type InferSchema,
  type Outcome,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolOutput,
  tool,
} from './tools/tool.ts';
