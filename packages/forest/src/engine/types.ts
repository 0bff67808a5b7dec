import {
  type Approval,
  type Loss,
  type Notice,
  type PrefixDifference,
  type RunOptions,
  type RunStop,
  SkeinError,
  type SkeinErrorCode,
  type StreamDelta,
  type Tool,
  type ToolUseBlock,
  type Usage,
} from '@skein/core';
import type { LastRequest } from './history.ts';

/** Everything that `run` takes, but for what comes from the forest. */
export type GenerateOptions = Omit<
  RunOptions,
  'messages' | 'system' | 'checkpoints' | 'previous' | 'outgoing' | 'approvals'
> & {
  /** Branches to grow side by side; default 1. */
  readonly n?: number;
  /** Go on even when the same is already being generated below this node. */
  readonly again?: boolean;
  /** Kept with the generation, such as the name of an agent. */
  readonly label?: string;
  /**
   * The conversation that is gone on with: its system text and, unless others are given, the tools and parameters of its last
   * request are sent, and its head moves to the first answer, also when that comes after going on.
   */
  readonly thread?: string;
  /**
   * Tools that this process can run. Where `tools` is absent, those of the conversation's last request are taken from here by
   * name; calls of tools that are not among them wait until a person writes their result.
   */
  readonly available?: readonly Tool[];
};

/** `tools` are not stored: give those it was started with again. `params` are, and hold unless there are others. */
export interface ResumeOptions extends Omit<GenerateOptions, 'n' | 'again' | 'model' | 'thread'> {
  /** Default: the model it was started with; a provider of your own has to be given again. */
  readonly model?: GenerateOptions['model'];
  /** What was decided about calls that wait, by call id. */
  readonly approvals?: Readonly<Record<string, Approval>>;
}

/** Grows the forest: the run loop on the history of a node, every message appended as it completes. */
export interface Engine {
  /** Starts, and gives the generation as soon as it is stored. */
  generate(node: string, options: GenerateOptions): Promise<Generation>;
  /** Sends the same turns to another model, as a new branch from behind `from` (default: the root). */
  rerun(head: string, options: GenerateOptions & { readonly from?: string }): Promise<Rerun>;
  /** What would be sent below a node, by the code that sends it; nothing is sent, and nothing is stored. */
  preview(node: string, options: GenerateOptions): Promise<RequestPreview>;
  /** What the conversation's last reply at or above a node (default: its head) was asked with. */
  lastRequest(thread: string, options?: { readonly at?: string }): Promise<LastRequest | undefined>;
  /** Goes on with what died, was stopped, or waits for approval. A tool that has finished is not run again. */
  resume(generation: string, options?: ResumeOptions): Promise<Generation>;
  /** Ends it, also in another process; what arrived is kept. */
  stop(generation: string): Promise<void>;
  get(generation: string): Promise<GenerationState>;
  list(query?: { readonly node?: string; readonly after?: string; readonly limit?: number }): Promise<GenerationList>;
  /** What happened, from behind an event id, until it ends; also when another process writes it. */
  follow(generation: string, after?: string): AsyncIterable<StoredEvent>;
  /**
   * Begins nothing more, lets what runs here end within this time, and stops the rest: what arrived is kept, and
   * `resume` goes on with it, also in another process. Resolves when all of it is stored.
   */
  park(withinMs: number): Promise<void>;
}

/** A request that was not sent. */
export interface RequestPreview {
  /** The exact text. */
  readonly body: string;
  readonly provider: string;
  readonly model: string;
  readonly dialect: string;
  /** Without credentials. */
  readonly url: string;
  /** The key is the name of its variable, such as `Bearer $OPENAI_API_KEY`; headers that were given have no value. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the request does not carry as it is; `node` is the one it is about. */
  readonly losses: readonly (Loss & { readonly node?: string })[];
  /** Where it parts from the request before it on this path; absent when it extends it, or there is none. */
  readonly parts?: PrefixDifference;
}

/** Where sending turns again ended. It ends early at an answer that is not `done`: the last generation says why. */
export interface Rerun {
  readonly head: string;
  /** One for each turn, in order. */
  readonly generations: readonly GenerationState[];
}

/** A generation that runs in this process. It goes on whether or not anyone looks. */
export interface Generation {
  readonly id: string;
  readonly node: string;
  /**
   * How it ended. One branch that fails does not lose the others, so this never rejects for a model's failure; it does
   * when the store fails.
   */
  readonly result: Promise<GenerationState>;
  stop(): void;
}

/** What is stored of a generation. */
export interface GenerationState {
  readonly id: string;
  /** Below which node it grows. */
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

/** `waiting`: for approval; `aborted`: stopped, or its process died. */
export type GenerationStatus = 'running' | 'done' | 'waiting' | 'failed' | 'aborted';

export interface BranchState {
  /** Its last message so far. */
  readonly head: string;
  readonly status: GenerationStatus;
  readonly stop?: RunStop;
  readonly pending?: readonly Pick<ToolUseBlock, 'id' | 'name' | 'rawParameters'>[];
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
}

export interface GenerationList {
  readonly items: readonly GenerationState[];
  readonly next?: string;
}

/** Events as they are stored and followed. Neighbouring pieces of one text may be one event. */
export interface StoredEvent {
  /** Sorts as text. An event that stands for several carries the id of the last. */
  readonly id: string;
  readonly branch: number;
  readonly event: GenerationEvent;
}

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
   * The last one, until it is taken up again. Of one whose process died it is told and not stored: its id is that of
   * the event before.
   */
  | { readonly type: 'end'; readonly status: GenerationStatus };

export type EngineErrorCode = Extract<
  SkeinErrorCode,
  | 'unknown_generation'
  | 'generation_running'
  | 'nothing_to_resume'
  | 'tools_needed'
  | 'model_needed'
  | 'calls_open'
  | 'bad_event'
  | 'engine_parked'
>;

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
