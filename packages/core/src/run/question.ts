import { readRun, tellRun } from '../dialects/delta-run.ts';
import type {
  Dialect,
  Manifest,
  ProviderDescriptor,
  Reply,
  RequestParams,
  StreamDelta,
  WrittenRequest,
} from '../dialects/index.ts';
import { writeRequest } from '../dialects/index.ts';
import { mergeJson } from '../dialects/write/frame.ts';
import type { JsonObject } from '../json/index.ts';
import { isObject, parseJson } from '../json/parse.ts';
import type { Message, Origin } from '../message/index.ts';
import { ListFold } from '../message/message.ts';
import type { Clock, ModelRef, RefusalMemory } from '../providers/index.ts';
import { resolveEndpoint } from '../providers/registry.ts';
import type { Stopper } from '../providers/transport/clock.ts';
import type { IncomingResponse } from '../providers/transport/deliver.ts';
import type { ProviderError } from '../providers/transport/provider-error.ts';
import type { SocketLane, SocketSession } from '../providers/transport/socket-session.ts';
import type { Journal } from './journal.ts';
import type { ConnectionOptions, ModelChoice, ModelLimits, RunOptions } from './options.ts';
import type { OutputSchema, RequestDraft } from './output-schema.ts';
import { clampMaxTokens, estimateInput, joinSystem } from './result.ts';
import type { SentForm, ServerStateKeeper } from './server-state.ts';
import type { Steering } from './steering.ts';
import type { ToolSet } from './tools/answer-calls.ts';

/** What the parts of one run share. */
export interface RunContext {
  readonly options: RunOptions;
  readonly journal: Journal;
  /** Ends the run from outside: the caller `aborted` it, or its `time` is up. */
  readonly stopping: Stopper<'aborted' | 'time'>;
  readonly clock: Clock;
  /** The model and its fallbacks. */
  readonly targets: readonly Target[];
  /** Undefined when there are none. */
  readonly tools: ToolSet | undefined;
  readonly output: OutputSchema | undefined;
  /** What each API keeps of the conversation, for the models that were asked so far. */
  readonly keepers: Map<Target, ServerStateKeeper>;
  /** The WebSockets of the run. */
  readonly session: () => Promise<SocketSession>;
  /** The lanes of the run on WebSockets, by the models that are asked over them. */
  readonly lanes: Map<Target, SocketLane>;
  /** What the caller adds to the conversation while the run goes on. */
  readonly steering: Steering;
}

/** What `run` looks up by name. It is passed in, so that a bundle need not contain every dialect and provider. */
export interface Directory {
  dialect(id: string): Dialect | Promise<Dialect>;
  parseModel(text: string): ModelRef;
  /** The known size of a model; `modelLimits` of the caller comes first. */
  modelLimits?(provider: ProviderDescriptor, model: string): ModelLimits;
}

/** A model that can be asked. */
export interface Target {
  readonly dialect: Dialect;
  /** With the issuer that follows from its address. */
  readonly provider: ProviderDescriptor;
  readonly model: string;
  readonly connection: ConnectionOptions;
}

/** The model and its fallbacks, in order. */
export async function resolveTargets(options: RunOptions, directory: Directory): Promise<readonly Target[]> {
  const choices: readonly ModelChoice[] = [options.model, ...(options.fallback ?? [])];
  const refs = choices.map((choice) => {
    if (typeof choice === 'string') return directory.parseModel(choice);
    if (isObject(choice) && isObject(choice.provider) && typeof choice.model === 'string') return choice;
    throw new TypeError('A model is "provider/model", or { provider, model } with the descriptor of the provider');
  });
  const first = refs[0]!.provider;
  const targets = choices.map(async (choice, index): Promise<Target> => {
    const { provider, model } = refs[index]!;
    const own: ConnectionOptions = typeof choice === 'string' ? {} : choice;
    // A key is never shown to another provider than the one it was given for.
    const shared = provider.id === first.id ? options : { env: options.env, fetch: options.fetch };
    const connection = mergeConnections(own, shared);
    return {
      dialect: await directory.dialect(provider.dialect),
      provider: resolveEndpoint(provider, connection).provider,
      model,
      connection,
    };
  });
  return Promise.all(targets);
}

const CONNECTION = ['apiKey', 'baseUrl', 'account', 'apiVersion', 'extraHeaders', 'env', 'fetch'] as const;

function mergeConnections(own: ConnectionOptions, shared: ConnectionOptions): ConnectionOptions {
  return Object.fromEntries(CONNECTION.map((name) => [name, own[name] ?? shared[name]]));
}

/** `provider/model`. */
export const targetName = ({ provider, model }: Target): string => `${provider.id}/${model}`;

/** A question to one model. */
export interface Question {
  readonly context: RunContext;
  readonly target: Target;
  readonly limits: ModelLimits;
  /** The messages to send, which need not be the stored ones. */
  readonly messages: readonly Message[];
  /** The model that was asked before, and why that failed. */
  readonly failed: FailedTarget | undefined;
  /** Messages that the API has already and puts before this request. */
  readonly queued: readonly Message[];
}

export interface FailedTarget {
  readonly target: Target;
  readonly failure: unknown;
}

/** A question as a request. */
export interface QuestionRequest {
  readonly written: WrittenRequest;
  readonly params: RequestParams;
  /** The limit of tokens that was asked for, or is the dialect's default. */
  readonly wantedTokens: number | undefined;
  /** What is sent of it, if the API keeps the conversation; default: all of it. */
  readonly sent?: SentForm | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the API goes on with the reply that it has, which paused. */
  readonly continuesReply?: boolean | undefined;
}

/** How a question differs from the plain one. */
interface QuestionChanges {
  /** Members of the body besides those of the caller. */
  readonly members?: JsonObject | undefined;
  readonly continuesReply?: boolean | undefined;
}

/** The characters of a history, counted while it grows. */
const characters = new ListFold(
  () => ({ sum: 0 }),
  (state, { raw }) => {
    state.sum += raw.length;
  },
);

/** Writes a question in the words of its model's dialect. */
export function writeQuestion(
  { context, target, messages, limits }: Question,
  refusals: RefusalMemory | undefined,
  unapproved: readonly string[],
  previous: Manifest | undefined,
  { members, continuesReply }: QuestionChanges = {},
): QuestionRequest {
  const { options, tools, output } = context;
  const { dialect, model, connection } = target;
  const { system, cache, strict, extraBody, stream = true } = options;
  const wantedTokens = options.params?.maxTokens ?? dialect.writer.defaultMaxTokens?.(options.params ?? {}, target);
  const maxTokens = clampMaxTokens(
    wantedTokens,
    limits,
    // Not counted where nothing depends on it.
    limits.contextTokens === undefined ? 0 : characters.fold(messages).sum + joinSystem(system).length,
    () => estimateInput(messages, system),
  );
  const draft: RequestDraft = {
    tools: tools?.definitions(dialect.id) ?? [],
    params: { ...options.params, ...(maxTokens !== wantedTokens && { maxTokens: maxTokens! }), stream },
    extra: members && Object.keys(members).length > 0 ? addMembers(members, extraBody) : extraBody,
  };
  const { params, extra, tools: definitions } = output?.ask(target, draft) ?? draft;
  const written = writeRequest(dialect, {
    model,
    messages,
    params,
    provider: refusals?.apply(target.provider, model) ?? target.provider,
    tools: definitions,
    unapproved,
    ...(system !== undefined && { system }),
    ...(extra !== undefined && { extra }),
    ...(connection.account !== undefined && { account: connection.account }),
    ...(strict !== undefined && { strict }),
    ...(cache !== undefined && { cache }),
    ...(previous !== undefined && { previous }),
    ...(continuesReply && { continuesReply }),
  });
  return { written, params, wantedTokens, continuesReply };
}

/** Members of ours, over which those of the caller go. */
function addMembers(members: JsonObject, given: RunOptions['extraBody']): string {
  const own = JSON.stringify(members);
  return given === undefined ? own : mergeJson(own, typeof given === 'string' ? given : JSON.stringify(given));
}

/** Notes what differs in a request from what the caller wanted, and tells the observer. */
export function announceRequest(
  { context: { journal }, target, failed }: Question,
  { written, params, wantedTokens, sent }: QuestionRequest,
  isFirst: boolean,
): void {
  const losses = journal.newLosses(written.losses);
  if (failed && isFirst) {
    const reason = failed.failure instanceof Error ? failed.failure.message : String(failed.failure);
    const message = `${targetName(target)} is asked instead of ${targetName(failed.target)}: ${reason}`;
    journal.notice('fallback', message, losses);
  } else if (losses.length > 0) {
    const parts = losses.length === 1 ? 'A part' : `${losses.length} parts`;
    journal.notice('losses', `${parts} of the conversation cannot be sent to ${targetName(target)} unchanged`, losses);
  }
  if ((params.maxTokens ?? wantedTokens) !== wantedTokens)
    journal.notice('max-tokens', `There is no room for ${wantedTokens} tokens; the reply may have ${params.maxTokens}`);
  const { provider, model } = target;
  journal.observe({
    ...{ type: 'request', step: journal.step, provider: provider.id, model, params },
    get body() {
      return (sent ?? written).body;
    },
  });
}

/** What came of a request. With a failure, the reply is what had arrived until then. */
export interface SendResult {
  readonly reply: Reply | undefined;
  readonly failure: unknown;
  /** Whether any event of the reply was emitted: then it is too late to ask another model. */
  readonly isTold: boolean;
  /** Whether events of the reply were emitted, and none of them was a call: then there is none in its message. */
  readonly isPlain: boolean;
  readonly requestId: string | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly firstEventMs: number | undefined;
}

/** Reads the reply to one request, over all its attempts, and emits its events. */
export class ReplyReader {
  readonly #context: RunContext;
  readonly #target: Target;
  readonly #startedAt: number;
  readonly #origin: Partial<Origin>;
  #reply: Reply | undefined;
  #requestId: string | undefined;
  #firstEventMs: number | undefined;
  #hasCalls = false;
  isTold = false;

  constructor(context: RunContext, target: Target, prefix: string) {
    const { provider, model, connection } = target;
    this.#context = context;
    this.#target = target;
    this.#startedAt = context.clock.now();
    // These decide where the text of the reply may be sent again.
    this.#origin = {
      issuer: provider.issuer,
      model,
      ...(provider.apiVersion !== undefined && { apiVersion: provider.apiVersion }),
      ...(connection.account !== undefined && { account: connection.account }),
      prefix,
    };
  }

  /** Reads one response to its end. Throws the error that it reports or ends with. */
  async receive(response: IncomingResponse): Promise<void> {
    this.#requestId = response.requestId;
    this.#reply = undefined;
    this.#firstEventMs = undefined;
    this.#hasCalls = false;
    this.isTold = false;
    const isCut = () => this.#reply?.message.origin.cut;
    const { stream = true } = this.#context.options;
    let failure: ProviderError | undefined;
    try {
      failure = await (stream ? this.#readStream(response) : this.#readText(response));
    } catch (error) {
      // An error after the end of the reply does not matter.
      if (!this.#reply || isCut()) throw error;
    }
    if (isCut()) failure ??= response.incomplete('the stream ended before its end');
    if (failure) throw failure;
    response.done();
  }

  result(failure: unknown): SendResult {
    return {
      reply: this.#reply,
      failure,
      isTold: this.isTold,
      isPlain: this.isTold && !this.#hasCalls && this.#reply?.stop.reason !== 'tool-use',
      requestId: this.#requestId,
      startedAt: this.#startedAt,
      durationMs: this.#context.clock.now() - this.#startedAt,
      firstEventMs: this.#firstEventMs,
    };
  }

  async #readText(response: IncomingResponse): Promise<ProviderError | undefined> {
    const text = await response.text();
    // A reply can report its own failure, as a stream does; some gateways send nothing else.
    const value = parse(text);
    const failure = isObject(value) && isObject(value.error) ? await response.reportedError(text) : undefined;
    try {
      this.#reply = this.#target.dialect.readResponse(text, this.#origin);
    } catch (error) {
      throw failure ?? (await response.unreadable(text, error));
    }
    if (!failure) for (const event of toEvents(this.#reply.message)) this.#emit(event);
    // An empty reply is a reply: it is not asked for again.
    this.isTold ||= !failure;
    return failure;
  }

  async #readStream(response: IncomingResponse): Promise<ProviderError | undefined> {
    const { clock, journal, stopping } = this.#context;
    const reader = this.#target.dialect.readStream(this.#origin);
    let failure: string | undefined;
    const take = (name: string | undefined, data: string): void => {
      // Events that came before the stop are not told after it.
      if (failure !== undefined || stopping.stopped) return;
      if (this.#firstEventMs === undefined) {
        this.#firstEventMs = clock.now() - this.#startedAt;
        journal.observe({ type: 'first-event', step: journal.step, ms: this.#firstEventMs });
      }
      for (const event of reader.push(name, data)) {
        if (event.type === 'error') failure ??= event.native;
        else if (event.type !== 'boundary' && failure === undefined) this.#emit(event);
      }
    };
    // Only what has begun goes on, so this is never the first event.
    const takeText = (text: string): boolean => {
      const run = failure === undefined && !stopping.stopped ? readRun(reader.usual?.(), text) : undefined;
      if (!run) return false;
      this.isTold = true;
      journal.emit(() => tellRun(run));
      return true;
    };
    try {
      for await (const _ of response.events({ take, takeText }))
        if (failure !== undefined) return await response.reportedError(failure);
      return undefined;
    } finally {
      if (this.#firstEventMs !== undefined) this.#reply = reader.finish();
    }
  }

  #emit(event: StreamDelta): void {
    const { journal, tools, targets } = this.#context;
    this.isTold ||= event.type !== 'unknown';
    this.#hasCalls ||= event.type === 'tool-use';
    journal.emit(event.type === 'tool-use' && tools ? { ...event, name: tools.ownName(event.name, targets) } : event);
  }
}

/** The events that a stream would have had for a message that came in one piece. */
function* toEvents(message: Message): Generator<StreamDelta> {
  let index = 0;
  for (const block of message.content) {
    if (block.type === 'tool-use') {
      const { id, name, rawParameters } = block;
      yield { type: 'tool-use', index, id, name };
      yield { type: 'tool-arguments', index, text: rawParameters };
      index++;
    } else if ((block.type === 'text' || block.type === 'reasoning' || block.type === 'refusal') && block.text !== '') {
      yield { type: block.type, text: block.text };
    }
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
