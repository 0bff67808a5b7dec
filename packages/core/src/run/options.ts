import type { CachePoint, Manifest, NativeTool, ProviderDescriptor, RequestParams, Usage } from '../dialects/index.ts';
import type { JsonObject } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import type {
  Clock,
  Environment,
  Fetch,
  OpenSocket,
  RefusalMemory,
  RetryOptions,
  SocketSession,
  Timeouts,
} from '../providers/index.ts';
import type { Checkpoint } from './compaction/checkpoint.ts';
import type { Compaction } from './compaction/strategies.ts';
import type { ObserverEvent } from './journal.ts';
import type { RunState } from './result.ts';
import type { AnswerSchema, Approval, Tool } from './tools/tool.ts';

/** How to reach a provider. Everything has a default, and nothing of it is ever stored. */
export interface ConnectionOptions {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** An organisation or a name of your own; reasoning that is bound to an account is sent only under the same one. */
  readonly account?: string | undefined;
  /** The version of the API, where a provider has several; default: that of the provider. */
  readonly apiVersion?: string | undefined;
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  readonly env?: Environment | undefined;
  readonly fetch?: Fetch | undefined;
}

/** A model and who serves it: `'anthropic/claude-sonnet-5'`, or a descriptor and a name, with a connection of its own. */
export type ModelChoice =
  | string
  | (ConnectionOptions & { readonly provider: ProviderDescriptor; readonly model: string });

/** The options of `run`. The connection options apply to the provider of `model`; other providers in `fallback` use the environment or their own. */
export interface RunOptions<Schema extends AnswerSchema = AnswerSchema> extends ConnectionOptions {
  readonly model: ModelChoice;
  /** Models to try, in order, when the one before fails before its first word. */
  readonly fallback?: readonly ModelChoice[] | undefined;
  readonly system?: string | readonly Message[] | undefined;
  readonly messages: Iterable<Message>;
  readonly tools?: readonly (Tool | NativeTool)[] | undefined;
  readonly params?: RequestParams | undefined;
  /** The schema of the answer. `result.output` has the answer, with the type that the schema describes. */
  readonly output?: Schema | undefined;
  /** Merged into every body unchanged. */
  readonly extraBody?: JsonObject | string | undefined;
  /** Ask for a stream; default true. */
  readonly stream?: boolean | undefined;
  readonly limits?: Limits | undefined;
  /** Ends the loop after a step and its tools. Not called when the loop ends anyway. */
  readonly stopWhen?: ((state: RunState) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The decisions about calls that wait for approval, by call id. */
  readonly approvals?: Readonly<Record<string, Approval>> | undefined;
  /** Makes a checkpoint when the history becomes too long, such as `keepLast(10)`. Called before every request. */
  readonly compaction?: Compaction | undefined;
  /** The checkpoints of this history so far. The newest one that fits replaces the messages it stands for. */
  readonly checkpoints?: readonly Checkpoint[] | undefined;
  /** Replaces the history that is sent, after checkpoints were applied. Called before every request. */
  readonly outgoing?: Outgoing | undefined;
  readonly cache?: readonly CachePoint[] | undefined;
  /** The manifest of the request before this run on the same branch. */
  readonly previous?: Manifest | undefined;
  readonly strict?: boolean | undefined;
  /**
   * Only prepare the API for the next run with these messages, system text and tools: one request that generates nothing.
   * Give the manifest of the result as `previous` to the next run. Fails where the API has no such request.
   */
  readonly warmUp?: boolean | undefined;
  /** Ask the API why it missed its prompt cache; a notice (`cache-miss`) tells. Ignored where the API does not tell. */
  readonly cacheDiagnosis?: boolean | undefined;
  /**
   * Let the API keep the conversation where it can, and send only what is new. When it has forgotten, the whole history
   * is sent, with a notice.
   */
  readonly serverState?: boolean | undefined;
  /**
   * `websocket`: all requests of the run go over one connection, each with only what is new, where the protocol has that.
   * A session: the same, over a connection that several runs share. Default `http`.
   */
  readonly transport?: 'http' | 'websocket' | SocketSession | undefined;
  /** Opens a WebSocket; default: with the package `ws`. */
  readonly openSocket?: OpenSocket | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly retry?: Partial<RetryOptions> | false | undefined;
  /** Calculates the cost of a reply. Prices change: without this, the cost is unknown. */
  readonly costOf?: CostLookup | undefined;
  /** The context and output size of a model, as far as they are known. */
  readonly modelLimits?: ModelLimitsLookup | undefined;
  /** The fields that providers have refused so far; default: one memory for the whole process. */
  readonly refusals?: RefusalMemory | undefined;
  /** Receives everything that happens. What it throws is ignored. */
  readonly observer?: ((event: ObserverEvent) => void) | undefined;
  /** Whether the observer also gets bodies, texts and messages; default false. */
  readonly observePayloads?: boolean | undefined;
  /** The source of time. */
  readonly clock?: Clock | undefined;
  /** The source of randomness, for the waits between attempts. */
  readonly random?: (() => number) | undefined;
}

/** Makes the history that is sent from the stored one, such as a shorter one. It must be deterministic. */
type Outgoing = (
  stored: readonly Message[],
  context: {
    readonly limits: ModelLimits;
    readonly signal: AbortSignal;
    readonly notice: (code: 'compaction' | 'compaction-failed', message: string) => void;
  },
) => readonly Message[] | Promise<readonly Message[]>;

/** When a run ends, at the latest. */
export interface Limits {
  /** Requests to the model; default 10. */
  readonly steps?: number | undefined;
  /** Tokens read and written, all steps together. */
  readonly tokens?: number | undefined;
  /** US dollars; needs `costOf`. */
  readonly cost?: number | undefined;
  readonly seconds?: number | undefined;
}

/** Calculates a cost in US dollars, or says why there is no figure. `costOf` of `@skein/core/prices` is one. */
export type CostLookup = (
  usage: Usage,
  provider: string,
  model: string,
  at: Date,
) => { readonly total: number | undefined; readonly reason?: string };

/** How much a model reads and writes; unknown sizes are absent. */
export interface ModelLimits {
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** Finds the limits of a model by the provider's id and the model's name. `modelInfoWithLimits` of `@skein/core/prices` is one. */
type ModelLimitsLookup = (provider: string, model: string) => ModelLimits | undefined;

/** The names of `RunOptions`; a test compares the two. */
export const OPTION_NAMES =
  'model fallback system messages tools params output extraBody stream limits stopWhen signal approvals compaction ' +
  'checkpoints outgoing cache warmUp cacheDiagnosis previous strict serverState transport openSocket timeouts retry costOf modelLimits refusals observer observePayloads clock ' +
  'random apiKey baseUrl account apiVersion extraHeaders env fetch';
