import type { Alternative, Loss, Manifest, ProtocolError, Stop, StreamDelta, Usage } from '../dialects/index.ts';
import { isSkeinError, SkeinError, type SkeinErrorCode } from '../error.ts';
import type { ContentBlock, Message, ToolUseBlock } from '../message/index.ts';
import type { ProviderError } from '../providers/index.ts';
import type { Checkpoint } from './compaction/checkpoint.ts';
import type { ModelLimits, RunOptions } from './options.ts';
import type { ToResponseOptions } from './run.ts';
import type { Action } from './tools/answer-calls.ts';
import type { Finding } from './tools/tool.ts';

/** A rough estimate, used where no provider has counted: a token is four characters, and an image or a page this many tokens. */
const CHARACTERS = 4;
const MEDIA = 1500;

/**
 * A rough estimate of the tokens of messages: a token is four characters.
 *
 * @example
 * estimateTokens([user('How far is the moon?')]); // 5
 */
export function estimateTokens(messages: Iterable<Message>): number {
  let sum = 0;
  for (const message of messages) sum += estimateMessage(message);
  return sum;
}

function estimateMessage(message: Message): number {
  return message.content.reduce((sum, block) => sum + estimateBlock(block), 0);
}

function estimateBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'media':
      return MEDIA;
    case 'tool-use':
      return estimateText(block.name + block.rawParameters);
    case 'tool-result':
      return block.content.reduce((sum, inner) => sum + estimateBlock(inner), 0);
    case 'unknown':
      return estimateText(block.native);
    case 'text':
    case 'reasoning':
    case 'refusal':
      return estimateText(block.text);
    default:
      return estimateText(JSON.stringify(block satisfies never));
  }
}

export function estimateText(text: string): number {
  return Math.ceil(text.length / CHARACTERS);
}

/** A rough estimate of the input tokens of a request. */
export function estimateInput(messages: readonly Message[], system: RunOptions['system']): number {
  return estimateTokens(messages) + estimateText(joinSystem(system));
}

export function joinSystem(system: RunOptions['system']): string {
  return typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('');
}

/** The limit of tokens for the reply: the wanted one, as far as the model and its context leave room. Never below 1. */
export function clampMaxTokens(
  wanted: number | undefined,
  { contextTokens, maxOutputTokens }: ModelLimits,
  inputCharacters: number,
  inputTokens: () => number,
): number | undefined {
  if (wanted === undefined) return undefined;
  const most = Math.min(wanted, maxOutputTokens ?? wanted);
  // Hardly any token is shorter than a character, so most histories need not be estimated.
  if (contextTokens === undefined || inputCharacters + most <= contextTokens) return Math.max(1, most);
  return Math.max(1, Math.min(most, contextTokens - inputTokens()));
}

type Buckets = Omit<Usage, 'native'>;

const NOTHING: Buckets = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
const NAMES = Object.keys(NOTHING) as (keyof Buckets)[];

/** The sum of usages, bucket by bucket; `native` is the list of their own texts. */
export function sumUsage(all: readonly Usage[]): Usage | undefined {
  if (all.length === 0) return undefined;
  const sums = NAMES.map((name) => [name, all.reduce((sum, usage) => sum + usage[name], 0)]);
  return {
    ...(Object.fromEntries(sums) as unknown as Buckets),
    native: `[${all.map(({ native }) => native).join(',')}]`,
  };
}

/** Adds two such sums. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other;
  const native = `${one.native.slice(0, -1)},${other.native.slice(1)}`;
  return { ...sumUsage([one, other])!, native };
}

export function totalTokens(usage: Usage | undefined): number {
  return usage ? NAMES.reduce((sum, name) => sum + usage[name], 0) : 0;
}

/** The usage of a reply that was cut: the input that it reported, and the output estimated by what arrived. */
export function estimateUsage(message: Message, told: Usage | undefined, inputTokens: () => number): Usage {
  const said = told && totalTokens(told) > 0 ? told : undefined;
  const base = said ?? { ...NOTHING, input: inputTokens(), native: 'null' };
  const written = Math.max(estimateMessage(message), base.output + base.reasoning);
  return { ...base, output: written - base.reasoning };
}

/**
 * What happens during a run, in order. `message` is a complete message that belongs in the history; `finish` comes last,
 * exactly once, unless iterating throws.
 */
export type RunEvent =
  | StreamDelta
  /** A call is answered. The calls of one message are answered as they finish; their `message`s keep the order of the calls. */
  | { readonly type: 'tool-result'; readonly callId: string; readonly name: string; readonly message: Message }
  /** A call waits for approval. */
  | { readonly type: 'approval'; readonly call: ToolUseBlock }
  /** What a tool did, for the end user's log. */
  | { readonly type: 'action'; readonly action: Action }
  /** `step` is the request that a reply answers; results of tools have none. */
  | { readonly type: 'message'; readonly message: Message; readonly step?: Step }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'finish'; readonly result: RunResult };

/** Something that the caller may want to know, but that is no failure. */
export interface Notice {
  readonly code:
    | 'losses'
    | 'fallback'
    | 'refused-field'
    | 'server-state'
    | 'cache-miss'
    | 'steering'
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
 * Makes the compiler refuse `await run(…)`, which would wait for nothing and give the run itself; its error shows the text
 * below. There is no such method at run time.
 */
interface NotAwaitable {
  then(this: 'A run is not a promise: await its "result" or its "text", or iterate it'): never;
}

/**
 * A run in progress. It continues whether or not anyone reads it. Iterate it for all its events, as often as you like
 * (iterating throws a `RunError` when it fails), or await `result`. Awaiting the run itself is a type error.
 */
export interface Run<Output = unknown> extends AsyncIterable<RunEvent>, NotAwaitable {
  /** Rejects with a `RunError`; the rejection is never reported as unhandled. */
  readonly result: Promise<RunResult<Output>>;
  /** The final text. */
  readonly text: Promise<string>;
  /** Ends the run; what arrived is kept, and `result` has it. */
  stop(): void;
  /**
   * Adds a message of the user while the run goes on: over a WebSocket to the response that is on its way, otherwise before
   * the next request. The run goes on until it is answered. Returns false if the run is over.
   */
  steer(message: string | Message): boolean;
  /** The events as a response for the web. A reader who goes away does not end the run, unless `stopOnCancel` is set. */
  toResponse(options?: ToResponseOptions): Response;
}

/** What a run gave. */
export interface RunResult<Output = unknown> {
  /** Every message that this run added to the history, in order. */
  readonly messages: readonly Message[];
  /** The last text of the model. */
  readonly text: string;
  /** The answer that follows the schema in `output`; undefined without a schema, or when the run ended before an answer. */
  readonly output: Output | undefined;
  readonly stop: RunStop;
  /** Calls that wait for approval. */
  readonly pending: readonly ToolUseBlock[];
  readonly steps: readonly Step[];
  /** The end user's log: what the tools did. */
  readonly actions: readonly Action[];
  /** The usage of all steps and of compaction; `native` is the list of the providers' own usage texts. */
  readonly usage: Usage | undefined;
  /** US dollars; undefined when the price of any step is not known. */
  readonly cost: number | undefined;
  readonly losses: readonly Loss[];
  readonly notices: readonly Notice[];
  /** The given checkpoints, followed by those that this run made. Keep them beside the history. */
  readonly checkpoints: readonly Checkpoint[];
  /** The manifest of the last request, for `previous` of the next run; the given one, if no request was answered. */
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
  /** The request as it was sent, if the API keeps the conversation and completed it. */
  readonly sent?: Manifest;
  readonly losses: readonly Loss[];
  readonly message: Message;
  /** Further choices, if the request asked for them. */
  readonly alternatives: readonly Alternative[];
  readonly stop: Stop;
  readonly usage: Usage | undefined;
  /** Whether the usage was estimated, because the reply was cut before it came. */
  readonly estimated: boolean;
  readonly cost: number | undefined;
  readonly envelope: string;
  readonly requestId: string | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly firstEventMs: number | undefined;
}

/** What `stopWhen` decides by. */
export interface RunState {
  readonly steps: readonly Step[];
  /** The messages that this run has added so far. */
  readonly messages: readonly Message[];
}

/** The same symbol in every copy of this package. */
const RUN = Symbol.for('skein.run-error');

/**
 * A run that failed. It has the facts of its cause, and everything that the run did until then.
 *
 * @example
 * try {
 *   await run({ model, messages }).result;
 * } catch (error) {
 *   if (isRunError(error) && error.retryable) save(error.messages);
 * }
 */
export class RunError extends SkeinError {
  override readonly name = 'RunError';
  /** The code of the cause: `rate_limit`, `missing_key`, `would_lose` …; `failed` where the cause is no error of Skein. */
  readonly code: SkeinErrorCode;
  readonly status: number | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  /** The exact text of the provider's error. */
  readonly rawBody: string | undefined;
  /** All that is wrong with an answer that does not follow its schema (`invalid_output`). */
  readonly findings: readonly Finding[];
  /** Every message that the run added to the history, the one that was cut included. */
  readonly messages: readonly Message[];
  readonly steps: readonly Step[];
  /** The given checkpoints, and those that the run made. */
  readonly checkpoints: readonly Checkpoint[];

  get [RUN](): true {
    return true;
  }

  constructor(
    cause: unknown,
    messages: readonly Message[],
    steps: readonly Step[],
    checkpoints: readonly Checkpoint[],
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    const facts: CauseFacts | undefined = isSkeinError(cause) ? cause : undefined;
    this.code = facts?.code ?? 'failed';
    this.status = facts?.status;
    this.retryable = facts?.retryable ?? false;
    this.requestId = facts?.requestId;
    this.rawBody = facts?.rawBody ?? facts?.body;
    this.findings = facts?.findings ?? [];
    this.messages = messages;
    this.steps = steps;
    this.checkpoints = checkpoints;
  }
}

/**
 * Whether a value is the error of a run, of this or another copy of the package.
 *
 * @example
 * if (isRunError(error)) save(error.messages);
 */
export function isRunError(value: unknown): value is RunError {
  return isSkeinError(value) && RUN in value;
}

/** The members of provider, protocol and schema errors; a cause is one of these, or none. */
interface CauseFacts extends Partial<Pick<ProviderError, 'status' | 'retryable' | 'requestId' | 'rawBody'>> {
  readonly code: SkeinErrorCode;
  readonly body?: ProtocolError['body'];
  readonly findings?: readonly Finding[];
}

/** The last text of the model: of one message, or of several if it paused in between. */
export function lastText(messages: readonly Message[]): string {
  // After the results of its calls, a model that has nothing to add gives an empty reply.
  const end = messages.findLastIndex((message) => message.role === 'assistant' && hasContent(message)) + 1;
  const start = messages.slice(0, end).findLastIndex(({ role }) => role !== 'assistant') + 1;
  return messages
    .slice(start, end)
    .map(({ text }) => text)
    .join('');
}

/** Whether a message contains anything but empty text. */
export function hasContent({ content }: Message): boolean {
  return content.some((block) => {
    if (block.type === 'reasoning') return block.redacted || block.text !== '';
    return block.type === 'text' ? block.text.trim() !== '' : true;
  });
}
