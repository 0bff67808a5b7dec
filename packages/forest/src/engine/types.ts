import {
  type Approval,
  type EngineErrorCode,
  type Loss,
  type Notice,
  type PrefixDifference,
  type RunOptions,
  type RunStop,
  SkeinError,
  type StreamDelta,
  type Tool,
  type ToolUseBlock,
  type Usage,
} from '@skein/core';
import type { LastRequest } from './history.ts';

/** The options of `run`, without those that the forest provides. */
export type GenerateOptions = Omit<
  RunOptions,
  'messages' | 'system' | 'checkpoints' | 'previous' | 'outgoing' | 'approvals'
> & {
  /** How many branches to generate side by side. Default: 1. */
  readonly n?: number;
  /** Start even when the same generation is already running below this node. */
  readonly again?: boolean;
  /** Stored with the generation, such as the name of an agent. */
  readonly label?: string;
  /**
   * The conversation to continue. Its system text is sent and, unless others are given, the tools and parameters of its last
   * request. Its head moves to the first answer, also when that arrives after a resume.
   */
  readonly thread?: string;
  /**
   * Tools that this process can run. Without `tools`, the tools of the conversation's last request are looked up here by
   * name; calls to any other tool wait until a person writes the result.
   */
  readonly available?: readonly Tool[];
};

/** How to resume a generation. `tools` are not stored and must be given again; `params` are stored and used unless others are given. */
export interface ResumeOptions extends Omit<GenerateOptions, 'n' | 'again' | 'model' | 'thread'> {
  /** Default: the model it was started with. A model of a custom provider must be given again. */
  readonly model?: GenerateOptions['model'];
  /** Decisions about calls that wait for approval, by call id. */
  readonly approvals?: Readonly<Record<string, Approval>>;
}

/** Generates messages: runs models and tools on the history of a node and appends every message when it is complete. */
export interface Engine {
  /** Starts a generation and returns it as soon as it is stored. */
  generate(node: string, options: GenerateOptions): Promise<Generation>;
  /** Sends the same user turns to another model, as a new branch below `from` (default: the root). */
  rerun(head: string, options: GenerateOptions & { readonly from?: string }): Promise<RerunResult>;
  /** Returns the request that `generate` would send. Nothing is sent or stored. */
  preview(node: string, options: GenerateOptions): Promise<RequestPreview>;
  /** Returns the settings of the conversation's last request at or above a node (default: its head). */
  lastRequest(thread: string, options?: { readonly at?: string }): Promise<LastRequest | undefined>;
  /** Continues a generation that crashed, was stopped, or waits for approval. Tools that finished are not run again. */
  resume(generation: string, options?: ResumeOptions): Promise<Generation>;
  /** Stops a generation, also in another process. What arrived is kept. */
  stop(generation: string): Promise<void>;
  get(generation: string): Promise<GenerationState>;
  list(query?: { readonly node?: string; readonly after?: string; readonly limit?: number }): Promise<GenerationList>;
  /** Yields the events after an event id until the generation ends, also when another process runs it. */
  follow(generation: string, after?: string): AsyncIterable<StoredEvent>;
  /**
   * Refuses new generations, waits this long for the running ones, and stops the rest. What arrived is kept; `resume`
   * continues it, also in another process. Resolves when everything is stored.
   */
  park(withinMs: number): Promise<void>;
}

/** The request that a generation would send. */
export interface RequestPreview {
  /** The exact text. */
  readonly body: string;
  readonly provider: string;
  readonly model: string;
  readonly dialect: string;
  /** Without credentials. */
  readonly url: string;
  /** The key is replaced by the name of its variable, as in `Bearer $OPENAI_API_KEY`; values of extra headers are hidden. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the request does not carry unchanged, and the node that each loss concerns. */
  readonly losses: readonly (Loss & { readonly node?: string })[];
  /** Where it differs from the previous request on this path; absent when it extends it or is the first. */
  readonly parts?: PrefixDifference;
}

/** The result of a rerun. It ends early at an answer that is not `done`; the last generation says why. */
export interface RerunResult {
  readonly head: string;
  /** One for each turn, in order. */
  readonly generations: readonly GenerationState[];
}

/** A generation that runs in this process, whether or not anyone follows it. */
export interface Generation {
  readonly id: string;
  readonly node: string;
  /** The final state. It never rejects because a model failed, only because the store failed. */
  readonly result: Promise<GenerationState>;
  stop(): void;
}

/** The stored state of a generation. */
export interface GenerationState {
  readonly id: string;
  /** The node below which it generates. */
  readonly node: string;
  readonly status: GenerationStatus;
  readonly branches: readonly BranchState[];
  readonly model: string;
  readonly params: RunOptions['params'];
  readonly tools: readonly string[];
  readonly label?: string;
  readonly thread?: string;
  /** The writer that runs it. */
  readonly owner: string;
  readonly startedAt: number;
  readonly endedAt?: number;
}

/** `waiting` is for approval; `aborted` means that it was stopped or that its process died. */
type GenerationStatus = 'running' | 'done' | 'waiting' | 'failed' | 'aborted';

/** The state of one branch of a generation. */
export interface BranchState {
  /** The last message so far. */
  readonly head: string;
  readonly status: GenerationStatus;
  readonly stop?: RunStop;
  readonly pending?: readonly Pick<ToolUseBlock, 'id' | 'name' | 'rawParameters'>[];
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

interface GenerationList {
  readonly items: readonly GenerationState[];
  readonly next?: string;
}

/** An event as it is stored and followed. Consecutive pieces of one text may be joined into one event. */
export interface StoredEvent {
  /** Sorts as text. A joined event has the id of its last piece. */
  readonly id: string;
  readonly branch: number;
  readonly event: GenerationEvent;
}

/** What happens in a generation. */
export type GenerationEvent =
  | StreamDelta
  | { readonly type: 'message'; readonly node: string }
  | { readonly type: 'tool-start'; readonly callId: string; readonly name: string }
  | { readonly type: 'tool-result'; readonly callId: string; readonly name: string }
  | { readonly type: 'approval'; readonly callId: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'branch-end'; readonly state: BranchState; readonly usage?: Usage; readonly cost?: number }
  /**
   * The last event, unless the generation is resumed. When its process died, this event is not stored, and has the id of
   * the event before it.
   */
  | { readonly type: 'end'; readonly status: GenerationStatus };

/** An engine refused a request. Nothing was sent. */
export class EngineError extends SkeinError {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;
  /** The generation that the request was refused for, or the node where there is none yet. */
  readonly generation: string;

  constructor(code: EngineErrorCode, generation: string, message: string) {
    super(message);
    this.code = code;
    this.generation = generation;
  }
}
