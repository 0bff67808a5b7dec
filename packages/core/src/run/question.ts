import type { Manifest, Reply, RequestParams, StreamDelta, Usage, WrittenRequest } from '../dialects/index.ts';
import { isObject, parseJson } from '../json/parse.ts';
import type { Message, Origin } from '../message/index.ts';
import type { RefusalMemory } from '../providers/index.ts';
import type { IncomingResponse } from '../providers/transport/deliver.ts';
import type { ProviderError } from '../providers/transport/provider-error.ts';
import { type RunContext, type Target, targetName } from './context.ts';
import type { ModelLimits, RunOptions } from './options.ts';
import type { RequestDraft } from './output-schema.ts';
import type { Step } from './result.ts';
import type { SentForm } from './server-state.ts';
import { clampMaxTokens, estimateInput, estimateUsage, joinSystem } from './tokens.ts';

/** A question to one model. */
export interface Question {
  readonly context: RunContext;
  readonly target: Target;
  readonly limits: ModelLimits;
  /** The messages to send, which need not be the stored ones. */
  readonly messages: readonly Message[];
  /** The model that was asked before, and why that failed. */
  readonly failed: FailedTarget | undefined;
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
}

/** Writes a question in the words of its model's dialect. */
export function writeQuestion(
  { context, target, messages, limits }: Question,
  refusals: RefusalMemory | undefined,
  unapproved: readonly string[],
  previous: Manifest | undefined,
): QuestionRequest {
  const { options, tools, output } = context;
  const { dialect, model, connection } = target;
  const { system, cache, strict, extraBody, stream = true } = options;
  const wantedTokens = options.params?.maxTokens ?? dialect.defaultMaxTokens?.(options.params ?? {}, target);
  const maxTokens = clampMaxTokens(
    wantedTokens,
    limits,
    // Not counted where nothing depends on it.
    limits.contextTokens === undefined
      ? 0
      : messages.reduce((sum, { raw }) => sum + raw.length, 0) + joinSystem(system).length,
    () => estimateInput(messages, system),
  );
  const draft: RequestDraft = {
    tools: tools?.definitions(dialect.id) ?? [],
    params: { ...options.params, ...(maxTokens !== wantedTokens && { maxTokens: maxTokens! }), stream },
    extra: extraBody,
  };
  const { params, extra, tools: definitions } = output?.ask(target, draft) ?? draft;
  const written = dialect.writeRequest({
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
  });
  return { written, params, wantedTokens };
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
  } else if (losses.length > 0)
    journal.notice('losses', `Not all is sent to ${targetName(target)} as it is (${losses.length})`, losses);
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
    const { clock, journal } = this.#context;
    const reader = this.#target.dialect.readStream(this.#origin);
    let failure: string | undefined;
    const take = (name: string | undefined, data: string): void => {
      if (failure !== undefined) return;
      if (this.#firstEventMs === undefined) {
        this.#firstEventMs = clock.now() - this.#startedAt;
        journal.observe({ type: 'first-event', step: journal.step, ms: this.#firstEventMs });
      }
      for (const event of reader.push(name, data)) {
        if (event.type === 'error') failure ??= event.native;
        else if (event.type !== 'boundary' && failure === undefined) this.#emit(event);
      }
    };
    try {
      for await (const _ of response.events(take))
        if (failure !== undefined) return await response.reportedError(failure);
      return undefined;
    } finally {
      if (this.#firstEventMs !== undefined) this.#reply = reader.finish();
    }
  }

  #emit(event: StreamDelta): void {
    const { journal, tools, targets } = this.#context;
    this.isTold ||= event.type !== 'unknown';
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

/** The step of a request; undefined when nothing arrived. `onUnknown` receives the reason why there is no price. */
export function toStep(
  { reply, failure, requestId, startedAt, durationMs, firstEventMs }: SendResult,
  { written: { manifest, losses }, sent }: QuestionRequest,
  { provider, model }: Target,
  messages: readonly Message[],
  { system, costOf }: RunOptions,
  onUnknown: (reason: string) => void,
): Step | undefined {
  if (!reply) return undefined;
  const { message } = reply;
  const estimated = failure !== undefined && message.origin.cut === true;
  const usage = estimated ? estimateUsage(message, reply.usage, () => estimateInput(messages, system)) : reply.usage;
  return {
    ...{ provider: provider.id, model, manifest, losses },
    ...reply,
    ...{ usage, estimated, cost: usage && costOf && price(usage) },
    ...{ requestId, startedAt, durationMs, firstEventMs },
    ...(sent && { sent: sent.manifest }),
  };

  function price(spent: Usage): number | undefined {
    const { total, reason } = costOf!(spent, provider.id, model, new Date(startedAt));
    if (total === undefined) onUnknown(reason ?? 'no price is listed');
    return total;
  }
}
