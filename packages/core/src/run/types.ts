import type {
  CachePoint,
  Loss,
  Manifest,
  NativeTool,
  ProviderDescriptor,
  RequestParams,
  Stop,
  StreamEvent,
  Usage,
} from '../dialects/index.ts';
import type { JsonObject } from '../json/index.ts';
import type { Message, ToolUseBlock } from '../message/index.ts';
import type { Checkpoint, Compaction } from './compaction/types.ts';
import type { Tool } from './tool.ts';

/** A model and who serves it: `'anthropic/claude-sonnet-4-5'`, or a descriptor with a name. */
export type ModelChoice = string | { readonly provider: ProviderDescriptor; readonly model: string };

/** How to reach a provider. Everything has a default; nothing of it is ever stored. */
export interface Connecting {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly account?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly fetch?: typeof fetch;
  readonly extraHeaders?: Readonly<Record<string, string>>;
}

export interface RunOptions extends Connecting {
  readonly model: ModelChoice;
  /** Models to try, in order, when one cannot answer before its first word. */
  readonly fallback?: readonly ModelChoice[];
  readonly system?: string | readonly Message[];
  readonly messages: Iterable<Message>;
  readonly tools?: readonly (Tool | NativeTool)[];
  readonly params?: RequestParams;
  /** Merged into every body unchanged. */
  readonly extraBody?: JsonObject | string;
  /** Ask for a stream; default true. */
  readonly stream?: boolean;
  readonly limits?: Limits;
  /** Ends the loop after a step; the turn is complete as far as it got. */
  readonly stopWhen?: (state: RunState) => boolean;
  readonly signal?: AbortSignal;
  /** What was decided about calls that wait for approval, by call id. */
  readonly approvals?: Readonly<Record<string, Approval>>;
  readonly cache?: readonly CachePoint[];
  /** The manifest of the request before this run on the same branch. */
  readonly previous?: Manifest;
  readonly compaction?: Compaction;
  readonly checkpoints?: readonly Checkpoint[];
  readonly strict?: boolean;
  readonly observer?: (event: Observed) => void;
}

export type Approval = 'approve' | { readonly deny: string };

export interface Limits {
  /** Requests to the model; default 10. */
  readonly steps?: number;
  /** Tokens processed and written, all steps together. */
  readonly tokens?: number;
  /** US dollars; needs `costOf`. */
  readonly cost?: number;
  readonly seconds?: number;
}

/**
 * What happens while a run goes on, in order. `message` is a complete message that belongs into the history;
 * `finish` comes last, exactly once, unless iterating throws.
 */
export type RunEvent =
  | Exclude<StreamEvent, { type: 'error' | 'unknown' }>
  | { readonly type: 'unknown'; readonly event: string | undefined; readonly data: string }
  | { readonly type: 'tool-result'; readonly callId: string; readonly name: string; readonly message: Message }
  | { readonly type: 'approval'; readonly call: ToolUseBlock }
  | { readonly type: 'message'; readonly message: Message }
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
    | 'price-unknown';
  readonly message: string;
  readonly losses?: readonly Loss[];
}

/**
 * A run goes on whether or not anyone looks. Iterate it for events (iterating throws the typed error), or take
 * `result`. It is not thenable.
 */
export interface Run extends AsyncIterable<RunEvent> {
  /** Never raises an unhandled rejection by itself. */
  readonly result: Promise<RunResult>;
  /** The final text. */
  readonly text: Promise<string>;
  /** Ends the run; what arrived is kept. */
  stop(): void;
}

export interface RunResult {
  /** Every message that this run added to the history, in order. */
  readonly messages: readonly Message[];
  readonly text: string;
  readonly stop: RunStop;
  /** Calls that wait for approval. */
  readonly pending: readonly ToolUseBlock[];
  readonly steps: readonly Step[];
  readonly usage: Usage | undefined;
  readonly losses: readonly Loss[];
  readonly notices: readonly Notice[];
  readonly checkpoints: readonly Checkpoint[];
  /** The manifest of the last request, for `previous` of the next run. */
  readonly manifest: Manifest | undefined;
}

/** Why a run ended: the model's own reason, or ours. */
export interface RunStop {
  readonly reason: Stop['reason'] | 'steps' | 'tokens' | 'cost' | 'time' | 'stopped' | 'aborted' | 'approval';
  readonly native: string | undefined;
}

/** One request and its reply. */
export interface Step {
  readonly model: string;
  readonly provider: string;
  readonly manifest: Manifest;
  readonly losses: readonly Loss[];
  readonly message: Message;
  readonly stop: Stop;
  readonly usage: Usage | undefined;
  /** The usage was estimated, because the reply was cut before it came. */
  readonly estimated: boolean;
  readonly envelope: string;
  readonly requestId: string | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly firstEventMs: number | undefined;
}

export interface RunState {
  readonly steps: readonly Step[];
  readonly messages: readonly Message[];
}

/** Everything that happens, for one observer; bodies and texts only where `payload` was asked for. */
export type Observed =
  | {
      readonly type: 'request';
      readonly step: number;
      readonly provider: string;
      readonly model: string;
      readonly body: string;
    }
  | {
      readonly type: 'response';
      readonly step: number;
      readonly status: number;
      readonly requestId: string | undefined;
    }
  | { readonly type: 'tool-start'; readonly callId: string; readonly name: string }
  | {
      readonly type: 'tool-end';
      readonly callId: string;
      readonly name: string;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  | { readonly type: 'step'; readonly step: Step }
  | RunEvent;
