import type { Reply, StreamDelta, Usage, WrittenRequest } from '../dialects/index.ts';
import { toDelta } from '../dialects/stream/events.ts';
import { isObject, parseJson } from '../json/parse.ts';
import type { Message, Origin } from '../message/index.ts';
import type { IncomingResponse } from '../providers/transport/deliver.ts';
import type { ProviderError } from '../providers/transport/provider-error.ts';
import type { RunContext, Target } from './context.ts';
import type { RunOptions } from './options.ts';
import type { Step } from './result.ts';
import { estimateInput, estimateUsage } from './tokens.ts';

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
    try {
      for await (const { event: name, data } of response.events()) {
        if (this.#firstEventMs === undefined) {
          this.#firstEventMs = clock.now() - this.#startedAt;
          journal.observe({ type: 'first-event', step: journal.step, ms: this.#firstEventMs });
        }
        for (const event of reader.push(name, data)) {
          if (event.type === 'error') return await response.reportedError(event.native);
          const delta = toDelta(event);
          if (delta) this.#emit(delta);
        }
      }
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
  { manifest, losses }: WrittenRequest,
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
  };

  function price(spent: Usage): number | undefined {
    const { total, reason } = costOf!(spent, provider.id, model, new Date(startedAt));
    if (total === undefined) onUnknown(reason ?? 'no price is listed');
    return total;
  }
}
