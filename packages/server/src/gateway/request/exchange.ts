import {
  type Dialect,
  type Environment,
  type EventExchange,
  exchange,
  type Fetch,
  isSkeinError,
  type Loss,
  LossError,
  loadDialect,
  type Manifest,
  type Message,
  type ProviderDescriptor,
  ProviderError,
  type Reply,
  type RequestParams,
  readRateLimits,
  resolveEndpoint,
  type StreamReader,
  streamError,
  type ToolDefinition,
  type WriteRequest,
  type WrittenRequest,
  writeRequest,
} from '@skein/core';
import {
  addEvents,
  type BlockEvent,
  type DeltaRun,
  forModel,
  type LossNote,
  type RequestMeaning,
  readBlocks,
  type ServedTool,
} from '@skein/core/dialect';
import type { Target } from '../client/client-call.ts';
import type { WordsKey } from '../memory/restore.ts';
import { nameParams, refuseReliedOn } from './params.ts';

/** A client's request on its way to a target: what is left to be written in the target's protocol. */
export interface OutgoingRequest {
  readonly system: readonly Message[];
  readonly messages: readonly Message[];
  /** The messages as the client sent them, where some of them were replaced by the provider's own. */
  readonly given?: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly params: RequestParams;
  /** Further members of the body, by name, as exact text. */
  readonly extra: Readonly<Record<string, string>>;
  readonly cache?: WriteRequest['cache'];
  /** Sent as it is, in place of all of the above: the client speaks the target's protocol. */
  readonly relayed?: string;
  /** Whether the client speaks the target's protocol, so that the answer may go to it as it is. */
  readonly isSameProtocol?: boolean;
  /** Headers of the client that its vendor understands. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The manifest of the thread's last request to this target. */
  readonly previous?: Manifest;
  /** By the index of the message: the exchange whose reply the client shows in other words than the provider's. */
  readonly renamed?: Readonly<Record<number, string>>;
  /** Reads the words of the request, once. */
  readonly readWords?: () => WordsKey;
  /** The exchange whose history the request goes on from, where the gateway keeps it. */
  readonly continues?: string;
  /** Further keys by which the reply is found. */
  readonly replyKeys?: readonly string[];
  /** Names and ids as the client has them, and as the provider has them. */
  readonly calls?: Readonly<Record<string, string>>;
  /** The client's tools by the names that the provider has, where name or kind of call differ. */
  readonly served?: ReadonlyMap<string, ServedTool>;
  /** The names that the client has for parameters. */
  readonly paramNames?: RequestMeaning['params'];
  /** The tools as the client knows them. */
  readonly offered?: readonly ToolDefinition[];
  /** How many replies the client wants; by default, one. */
  readonly copies?: number;
  /** Whether the answer comes as the arguments of a call, because the model cannot be asked for JSON otherwise. */
  readonly isAnswerCalled?: boolean;
  /** Where the gateway ends a reply, because the provider does not. */
  readonly stops?: readonly string[];
  /** What the request has lost on its way here. */
  readonly losses: readonly (Loss | LossNote)[];
}

/** What the upstream side of an exchange passes by, in bytes: for the recording. */
export interface UpstreamTap {
  /** A request goes out; what an earlier attempt brought no longer counts. */
  request(
    url: string,
    body: string,
    sent: Pick<UpstreamAnswer, 'target' | 'dialect' | 'request' | 'prefix' | 'losses'>,
  ): void;
  head(status: number, headers: Headers): void;
  push(bytes: Uint8Array): void;
}

/** An answer of a target, as it arrives. */
export interface UpstreamAnswer {
  readonly target: Target;
  readonly dialect: Dialect;
  readonly request: OutgoingRequest;
  /** The prefix hash that bound reasoning is checked against. */
  readonly prefix: string | undefined;
  /** The targets that were asked before and did not answer, each with the reason. */
  readonly skipped: readonly { readonly target: Target; readonly reason: string }[];
  /** What the request lost. */
  readonly losses: readonly (Loss | LossNote)[];
  /** The headers of the answer that tell of rate limits. */
  readonly rateLimits: Readonly<Record<string, string>>;
  /** The events of a stream, those together that arrived together. An unstreamed answer has none. */
  readonly events: AsyncIterable<readonly BlockEvent[]>;
  /** Set where the client gets the provider's own text, because it speaks its protocol; `events` has nothing then. */
  readonly native?: NativeAnswer;
  /** The reply, after the last event. */
  reply(): Reply;
}

/**
 * Of a stream as the provider sent it: the text of whole server-sent events, with what they say where they only go on with the same
 * text; or an event of another framing.
 */
type NativePortion =
  | { readonly text: string; readonly run: DeltaRun | undefined }
  | { readonly event: string | undefined; readonly data: string };

/** An answer in the provider's own text: one text, or the events of a stream. */
export interface NativeAnswer {
  readonly text: string;
  readonly portions: AsyncIterable<NativePortion>;
}

/** How a target is asked. */
export interface AskOptions {
  readonly targets: readonly Target[];
  /** What goes to a target. Throws what the client is told. */
  readonly prepare: (target: Target, dialect: Dialect) => Promise<OutgoingRequest>;
  readonly isStream: boolean;
  readonly isStrict: boolean;
  readonly env: Environment;
  /** The client's own key for a target, where it brought one. */
  readonly keyFor: (target: Target) => string | undefined;
  readonly signal: AbortSignal;
  /** As `createUpstreamConnections` makes it. */
  readonly fetch: Fetch;
  readonly tap: UpstreamTap;
}

/**
 * Asks the first target that answers. Another one is asked only before anything has arrived, and only where it may fare
 * better: not after a request that is wrong in itself.
 */
export async function ask(options: AskOptions): Promise<UpstreamAnswer> {
  const skipped: { target: Target; reason: string }[] = [];
  for (const [at, target] of options.targets.entries()) {
    const isLast = at === options.targets.length - 1;
    try {
      return await askTarget(options, target, isLast, skipped);
    } catch (error) {
      if (isLast || options.signal.aborted || !mayFareBetter(error)) throw error;
      skipped.push({ target, reason: error instanceof ProviderError ? error.code : 'missing_key' });
    }
  }
  throw new TypeError('There is no target to ask.');
}

/** Whether another provider may answer where one failed like this. */
function mayFareBetter(error: unknown): boolean {
  if (isSkeinError(error, 'missing_key') || isSkeinError(error, 'missing_base_url')) return true;
  return error instanceof ProviderError && error.code !== 'invalid_request' && error.code !== 'aborted';
}

async function askTarget(
  options: AskOptions,
  target: Target,
  isLast: boolean,
  skipped: UpstreamAnswer['skipped'],
): Promise<UpstreamAnswer> {
  const { isStream, env, signal, tap } = options;
  const key = options.keyFor(target);
  const { provider } = resolveEndpoint(target.provider, { env });
  const dialect = await loadDialect(provider.dialect);
  const request = await options.prepare({ ...target, provider }, dialect);
  const isRelayed = request.relayed !== undefined;
  const written = writeFor(request, dialect, provider, target.model, isStream);
  if (!isRelayed) refuseReliedOn(written().losses, request, target);
  const isBound = forModel(provider.policies.reasoningBoundTo, target.model).includes('prefix');
  const prefix = isBound ? written().manifest.prefix : undefined;
  const body = request.relayed ?? written().body;
  const losses = isRelayed ? request.losses : nameParams([...request.losses, ...written().losses], request.paramNames);
  if (options.isStrict) refuseLosses(losses);
  const head = { target: { ...target, provider }, dialect, request, losses, prefix };
  const sent = {
    provider,
    model: target.model,
    body,
    env,
    signal,
    framing: dialect.framing,
    ...(key !== undefined && { key }),
    ...(request.headers && { extraHeaders: request.headers }),
    fetch: tapFetch(options.fetch, tap, head),
    // Whoever has another target does not wait for this one.
    retry: isLast ? { maxRetries: 1, baseMs: 250, maxRetryAfterMs: 1000 } : (false as const),
  };
  const origin = { issuer: provider.issuer, model: target.model, ...(prefix !== undefined && { prefix }) };
  if (!isStream) {
    const { text, headers } = await exchange({ ...sent, stream: false });
    const rateLimits = readRateLimits(headers);
    const reply = dialect.readResponse(text, origin);
    if (reply.stop.reason === 'error') throw streamError(text, { provider: provider.id, model: target.model });
    const native = isHandedOn(request) && { native: { text, portions: none<NativePortion>() } };
    return { ...head, skipped, rateLimits, ...native, events: none<readonly BlockEvent[]>(), reply: () => reply };
  }
  const { portions, headers } = await exchange({ ...sent, stream: true });
  const rateLimits = readRateLimits(headers);
  if (isHandedOn(request)) {
    const reader = dialect.readStream(origin);
    return {
      ...{ ...head, skipped, rateLimits, events: none<readonly BlockEvent[]>(), reply: () => reader.finish() },
      native: { text: '', portions: readNative(portions, reader) },
    };
  }
  const reader = readBlocks(dialect, origin);
  let reply: Reply | undefined;
  return {
    ...{ ...head, skipped, rateLimits },
    events: (async function* () {
      for await (const portion of portions)
        yield typeof portion === 'string' ? reader.pushText(portion, true) : reader.push(portion.event, portion.data);
      const end = reader.finish();
      reply = end.reply;
      yield end.events;
    })(),
    reply: () => reply ?? reader.finish().reply,
  };
}

/** Whether the answer goes to the client as it is: it speaks the same protocol, and nothing in the answer is to be changed. */
function isHandedOn({ isSameProtocol, copies = 1, stops = [], served, isAnswerCalled }: OutgoingRequest): boolean {
  return isSameProtocol === true && copies === 1 && stops.length === 0 && !served?.size && !isAnswerCalled;
}

/** Hands on a stream, and reads the reply that it makes. */
async function* readNative(portions: EventExchange['portions'], reader: StreamReader): AsyncGenerator<NativePortion> {
  for await (const portion of portions) {
    if (typeof portion === 'string') yield { text: portion, run: addEvents(reader, portion) };
    else {
      reader.push(portion.event, portion.data);
      yield portion;
    }
  }
}

/** Writes a request in the target's protocol, once and only where it is needed. */
export function writeFor(
  { system, messages, tools, params, extra, cache, previous }: OutgoingRequest,
  dialect: Dialect,
  provider: ProviderDescriptor,
  model: string,
  isStream: boolean,
): () => WrittenRequest {
  let written: WrittenRequest | undefined;
  return () => {
    if (written) return written;
    const members = Object.entries(extra).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
    written = writeRequest(dialect, {
      ...{ model, provider, messages, tools },
      ...(system.length > 0 && { system }),
      params: { ...params, stream: isStream },
      ...(members.length > 0 && { extra: `{${members.join(',')}}` }),
      ...(cache && { cache }),
      ...(previous && { previous }),
    });
    return written;
  };
}

/** What was dropped before the request is written counts as well. */
function refuseLosses(losses: OutgoingRequest['losses']): void {
  const dropped = losses.filter(({ kind }) => kind === 'dropped').map((loss) => ({ message: -1, ...loss }));
  if (dropped.length > 0) throw new LossError(dropped);
}

async function* none<T>(): AsyncGenerator<T> {}

/** A `fetch` whose bytes the tap sees. The body is read at the pace of its reader. */
function tapFetch(fetch: Fetch, tap: UpstreamTap, sent: Parameters<UpstreamTap['request']>[2]): Fetch {
  return async (url, init) => {
    const answered = fetch(url, init);
    tap.request(url, String(init.body), sent);
    const response = await answered;
    tap.head(response.status, response.headers);
    const reader = response.body!.getReader();
    const read = async () => {
      const piece = await reader.read();
      if (!piece.done) tap.push(piece.value);
      return piece;
    };
    const body = { getReader: () => ({ read, cancel: () => reader.cancel() }) };
    return { ...response, body } as unknown as Response;
  };
}
