import type { Reply, StreamEvent, WrittenRequest } from '../dialects/index.ts';
import { isObject, parseJson } from '../json/index.ts';
import type { Message, Origin } from '../message/index.ts';
import {
  type Clock,
  type ExchangeOptions,
  ProviderError,
  type RetryNotice,
  resolveEndpoint,
  resolveKey,
  streamError,
} from '../providers/index.ts';
import { sleep } from '../providers/transport/clock.ts';
import { exchange } from '../providers/transport/exchange.ts';
import { secretsOf } from '../providers/transport/redact.ts';
import { DEFAULT_RETRY, retryWait } from '../providers/transport/retry.ts';
import { replyEvents } from './reply-events.ts';
import type { Target } from './targets.ts';
import type { RunOptions } from './types.ts';

/** One written request, and how it is to be sent. */
export interface Sending {
  readonly target: Target;
  readonly written: WrittenRequest;
  readonly options: Pick<RunOptions, 'timeouts' | 'retry' | 'random'>;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onEvent: (event: Exclude<StreamEvent, { type: 'error' }>) => void;
  readonly onFirstEvent: (ms: number) => void;
  readonly onRetry: (notice: RetryNotice) => void;
}

/** What came of a request. With a failure, the reply is what had arrived until then. */
export interface Sent {
  readonly reply: Reply | undefined;
  readonly failure: unknown;
  /** Whether there was a response at all. */
  readonly answered: boolean;
  /** Whether anything was told of the reply: then it is too late to ask someone else. */
  readonly told: boolean;
  readonly requestId: string | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly firstEventMs: number | undefined;
}

/** Sends a request until there is a reply, or no sense in trying. It never throws. */
export async function send(sending: Sending): Promise<Sent> {
  const { options, clock, signal } = sending;
  const retry = { ...DEFAULT_RETRY, ...(options.retry === false ? { maxRetries: 0 } : options.retry) };
  for (let attempts = 1; ; attempts++) {
    const sent = await sendOnce(sending);
    const { failure } = sent;
    // A stream that breaks off before it says anything is as good as no reply; other failures were tried again before.
    if (!(failure instanceof ProviderError) || sent.told || !sent.answered || signal.aborted) return sent;
    const waitMs = retryWait(attempts, failure, retry, options.random ?? Math.random);
    if (waitMs === undefined) return sent;
    sending.onRetry({ attempts, waitMs, error: failure });
    try {
      await sleep(clock, waitMs, signal);
    } catch {
      return sent;
    }
  }
}

async function sendOnce(sending: Sending): Promise<Sent> {
  const { clock, stream, target } = sending;
  const startedAt = clock.now();
  const seen: Seen = { answered: false, told: false, requestId: undefined, firstEventMs: undefined, reply: undefined };
  let failure: unknown;
  try {
    failure = await (stream ? readStream(sending, seen, startedAt) : readText(sending, seen));
  } catch (error) {
    // What breaks behind the end of a reply does not matter any more.
    if (!seen.reply || seen.reply.message.origin.cut) failure = error;
  }
  if (failure === undefined && seen.reply?.message.origin.cut)
    failure = new ProviderError('the stream ended before its end', {
      provider: target.provider.id,
      model: target.model,
      code: 'connection',
      retryable: true,
      requestId: seen.requestId,
    });
  return { ...seen, failure, startedAt, durationMs: clock.now() - startedAt };
}

interface Seen {
  answered: boolean;
  told: boolean;
  requestId: string | undefined;
  firstEventMs: number | undefined;
  reply: Reply | undefined;
}

async function readText(sending: Sending, seen: Seen): Promise<ProviderError | undefined> {
  const { target, onEvent } = sending;
  const { text, requestId } = await exchange({ ...exchangeOptions(sending), stream: false });
  seen.answered = true;
  seen.requestId = requestId;
  // A reply can tell of its own failure, as a stream does; some gateways send nothing else.
  const body = parsed(text);
  const failure = isObject(body) && isObject(body.error) ? failureIn(text, sending) : undefined;
  try {
    seen.reply = target.dialect.readResponse(text, originOf(sending));
  } catch (error) {
    throw failure ?? error;
  }
  if (failure) return failure;
  seen.told = true;
  for (const event of replyEvents(seen.reply.message)) onEvent(event);
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

async function readStream(sending: Sending, seen: Seen, startedAt: number): Promise<ProviderError | undefined> {
  const { target, clock, onEvent, onFirstEvent } = sending;
  const { events, requestId } = await exchange({ ...exchangeOptions(sending), stream: true });
  seen.answered = true;
  seen.requestId = requestId;
  const reader = target.dialect.readStream(originOf(sending));
  try {
    for await (const { event, data } of events) {
      if (seen.firstEventMs === undefined) {
        seen.firstEventMs = clock.now() - startedAt;
        onFirstEvent(seen.firstEventMs);
      }
      for (const told of reader.push(event, data)) {
        if (told.type === 'error') return failureIn(told.native, sending);
        seen.told ||= told.type !== 'unknown';
        onEvent(told);
      }
    }
    return undefined;
  } finally {
    seen.reply = reader.finish();
  }
}

function exchangeOptions({ target, written, options, signal, clock, onRetry }: Sending): ExchangeOptions {
  const { provider, model, connecting } = target;
  const { apiKey, baseUrl, env, fetch, extraHeaders } = connecting;
  return {
    provider,
    model,
    body: written.body,
    bytes: written.bytes,
    key: apiKey,
    baseUrl,
    env,
    fetch,
    extraHeaders,
    signal,
    clock,
    timeouts: options.timeouts,
    retry: options.retry,
    random: options.random,
    onRetry,
  };
}

/** Where the reply comes from: what decides where its text may be sent again. */
function originOf({ target: { provider, model, connecting }, written }: Sending): Partial<Origin> {
  return {
    issuer: provider.issuer,
    model,
    ...(provider.apiVersion !== undefined && { apiVersion: provider.apiVersion }),
    ...(connecting.account !== undefined && { account: connecting.account }),
    prefix: written.manifest.prefix,
  };
}

function failureIn(native: string, { target: { provider, model, connecting } }: Sending): ProviderError {
  const { apiKey, baseUrl, env, extraHeaders } = connecting;
  const secrets = secretsOf({
    key: resolveKey(provider, { key: apiKey, env }),
    baseUrl: resolveEndpoint(provider, { baseUrl, env }).baseUrl,
    extraHeaders,
  });
  return streamError(native, { provider: provider.id, model, secrets });
}

/** Whether a message says anything, so that it belongs into the history. */
export function hasContent({ content }: Message): boolean {
  return content.some((block) => {
    if (block.type === 'reasoning') return block.redacted || block.text !== '';
    return block.type === 'text' ? block.text.trim() !== '' : true;
  });
}
