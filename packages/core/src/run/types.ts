import type {
  Alternative,
  CachePoint,
  Loss,
  Manifest,
  NativeTool,
  ProviderDescriptor,
  RequestParams,
  Stop,
  StreamDelta,
  Usage,
} from '../dialects/index.ts';
import type { JsonObject } from '../json/index.ts';
import type { Message, ToolUseBlock } from '../message/index.ts';
import type { Clock, Environment, Fetch, RefusalMemory, RetryOptions, Timeouts } from '../providers/index.ts';
import type { Checkpoint } from './compaction/checkpoint.ts';
import type { Compaction } from './compaction/types.ts';
import type { Observed } from './observed.ts';
import type { ToResponseOptions } from './to-response.ts';
import type { Action } from './tools/answer-calls.ts';
import type { Approval } from './tools/prepare.ts';
import type { StandardSchema, Tool } from './tools/types.ts';

/** How to reach a provider. Everything has a default; nothing of it is ever stored. */
export interface Connecting {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** An organisation or a name of your own; reasoning that is bound to an account is sent only under the same one. */
  readonly account?: string | undefined;
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  readonly env?: Environment | undefined;
  readonly fetch?: Fetch | undefined;
}

/** A model and who serves it: `'anthropic/claude-sonnet-4-5'`, or a descriptor and a name, with a connection of its own. */
export type ModelChoice = string | (Connecting & { readonly provider: ProviderDescriptor; readonly model: string });

/** The connection options hold for the provider of `model`; other ones in `fallback` use the environment or their own. */
export interface RunOptions<Output = unknown> extends Connecting {
  readonly model: ModelChoice;
  /** Models to try, in order, when one cannot answer before its first word. */
  readonly fallback?: readonly ModelChoice[] | undefined;
  readonly system?: string | readonly Message[] | undefined;
  readonly messages: Iterable<Message>;
  readonly tools?: readonly (Tool | NativeTool)[] | undefined;
  readonly params?: RequestParams | undefined;
  /** What the answer has to be: a Standard Schema that gives a JSON Schema, or a JSON Schema. `result.output` has it. */
  readonly output?: StandardSchema<Output> | JsonObject | undefined;
  /** Merged into every body unchanged. */
  readonly extraBody?: JsonObject | string | undefined;
  /** Ask for a stream; default true. */
  readonly stream?: boolean | undefined;
  readonly limits?: Limits | undefined;
  /** Ends the loop after a step and its tools; not asked where it ends anyway. */
  readonly stopWhen?: ((state: RunState) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What was decided about calls that wait for approval, by call id. */
  readonly approvals?: Readonly<Record<string, Approval>> | undefined;
  /** Makes a checkpoint when the history becomes too long; such as `keepLast(10)`. Asked before every request. */
  readonly compaction?: Compaction | undefined;
  /** The checkpoints of this history so far. The newest one that fits is sent in place of what it stands for. */
  readonly checkpoints?: readonly Checkpoint[] | undefined;
  /** What is sent in place of the history, as checkpoints leave it; default: just that. Asked before every request. */
  readonly outgoing?: Outgoing | undefined;
  readonly cache?: readonly CachePoint[] | undefined;
  /** The manifest of the request before this run on the same branch. */
  readonly previous?: Manifest | undefined;
  readonly strict?: boolean | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly retry?: Partial<RetryOptions> | false | undefined;
  /** What a reply cost. Prices change: without this, cost is unknown. */
  readonly costOf?: CostOf | undefined;
  /** How much a model takes and writes; what is not known is absent. */
  readonly modelLimits?: ModelLimitsOf | undefined;
  /** Fields that providers have refused so far; default: one memory for the whole process. */
  readonly refusals?: RefusalMemory | undefined;
  /** Sees everything that happens; what it throws is ignored. */
  readonly observer?: ((event: Observed) => void) | undefined;
  /** Whether the observer gets bodies, texts and messages, too; default false. */
  readonly observePayloads?: boolean | undefined;
  /** Time, and the dice for waiting. */
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Makes what is sent of what is stored, such as a shorter history. It has to give the same for the same. */
export type Outgoing = (
  stored: readonly Message[],
  context: {
    readonly limits: ModelLimits;
    readonly signal: AbortSignal;
    readonly notice: (code: 'compaction' | 'compaction-failed', message: string) => void;
  },
) => readonly Message[] | Promise<readonly Message[]>;

export interface Limits {
  /** Requests to the model; default 10. */
  readonly steps?: number | undefined;
  /** Tokens processed and written, all steps together. */
  readonly tokens?: number | undefined;
  /** US dollars; needs `costOf`. */
  readonly cost?: number | undefined;
  readonly seconds?: number | undefined;
}

/** US dollars, or why there is no figure. `costOf` of `@skein/core/prices` is one. */
export type CostOf = (
  usage: Usage,
  provider: string,
  model: string,
  at: Date,
) => { readonly total: number | undefined; readonly reason?: string };

export interface ModelLimits {
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** By the provider's id and the model's name. `modelInfoWithLimits` of `@skein/core/prices` is one. */
export type ModelLimitsOf = (provider: string, model: string) => ModelLimits | undefined;

/**
 * What happens while a run goes on, in order. `message` is a complete message that belongs into the history;
 * `finish` comes last, exactly once, unless iterating throws.
 */
export type RunEvent =
  | StreamDelta
  /** A call is answered; those of one message come as they are done, their `message`s in the order of the calls. */
  | { readonly type: 'tool-result'; readonly callId: string; readonly name: string; readonly message: Message }
  /** A call waits for approval. */
  | { readonly type: 'approval'; readonly call: ToolUseBlock }
  /** For the end user's log: what a tool did. */
  | { readonly type: 'action'; readonly action: Action }
  /** `step` is the request that a reply answers; what tools said has none. */
  | { readonly type: 'message'; readonly message: Message; readonly step?: Step }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'finish'; readonly result: RunResult };

/** Something the caller may want to know that is no failure. */
export interface Notice {
  readonly code:
    | 'losses'
    | 'fallback'
    | 'refused-field'
    | 'compaction'
    | 'compaction-failed'
    | 'length'
    | 'max-tokens'
    | 'price-unknown'
    | 'prefix-changed'
    | 'state-discarded';
  readonly message: string;
  readonly losses?: readonly Loss[];
  /** Where a prefix changed: which system message, or which tool. */
  readonly at?: { readonly part: 'system' | 'tools'; readonly index: number; readonly name?: string };
}

/**
 * A type alone, there is no such method: `await run(…)` would wait for nothing and give the run itself, so the compiler
 * refuses it, and its error shows the text below.
 */
export interface NotAwaitable {
  then(this: 'A run is not a promise: await its "result" or its "text", or iterate it'): never;
}

/**
 * A run goes on whether or not anyone looks. Iterate it for events, from the first one, as often as you like
 * (iterating throws the typed error), or take `result`. It is not thenable: awaiting it is a type error.
 */
export interface Run<Output = unknown> extends AsyncIterable<RunEvent>, NotAwaitable {
  /** Never raises an unhandled rejection by itself. */
  readonly result: Promise<RunResult<Output>>;
  /** The final text. */
  readonly text: Promise<string>;
  /** Ends the run; what arrived is kept, and `result` has it. */
  stop(): void;
  /** The events as a response for the web. Reading it no further does not end the run, unless `stopOnCancel` says so. */
  toResponse(options?: ToResponseOptions): Response;
}

export interface RunResult<Output = unknown> {
  /** Every message that this run added to the history, in order. */
  readonly messages: readonly Message[];
  /** What the model said last. */
  readonly text: string;
  /** The answer by the schema in `output`; undefined without one, and where the run ended before there was an answer. */
  readonly output: Output | undefined;
  readonly stop: RunStop;
  /** Calls that wait for approval. */
  readonly pending: readonly ToolUseBlock[];
  readonly steps: readonly Step[];
  /** The end user's log: what the tools did. */
  readonly actions: readonly Action[];
  /** All steps together, and what compaction asked; `native` is the list of their own usage texts. */
  readonly usage: Usage | undefined;
  /** US dollars; undefined when the price of any step is not known. */
  readonly cost: number | undefined;
  readonly losses: readonly Loss[];
  readonly notices: readonly Notice[];
  /** Those that were given, and behind them those that this run made. Keep them beside the history. */
  readonly checkpoints: readonly Checkpoint[];
  /** The manifest of the last request, for `previous` of the next run; what was given, where none was answered. */
  readonly manifest: Manifest | undefined;
}

/**
 * Why a run ended: the model's own reason, or ours. `stopped`: by `stopWhen`; `aborted`: by `stop()` or the signal;
 * `steps`, `tokens`, `cost`, `time`: by a limit; `approval`: calls wait for it.
 */
export interface RunStop {
  readonly reason: Stop['reason'] | 'steps' | 'tokens' | 'cost' | 'time' | 'stopped' | 'aborted' | 'approval';
  readonly native: string | undefined;
}

/** One request and its reply. */
export interface Step {
  readonly provider: string;
  readonly model: string;
  readonly manifest: Manifest;
  readonly losses: readonly Loss[];
  readonly message: Message;
  /** Further choices, where the request asked for them. */
  readonly alternatives: readonly Alternative[];
  readonly stop: Stop;
  readonly usage: Usage | undefined;
  /** The usage was estimated, because the reply was cut before it came. */
  readonly estimated: boolean;
  readonly cost: number | undefined;
  readonly envelope: string;
  readonly requestId: string | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly firstEventMs: number | undefined;
}

export interface RunState {
  readonly steps: readonly Step[];
  /** What this run has added so far. */
  readonly messages: readonly Message[];
}
