import type { Reply, StreamEvent, WrittenRequest } from '../dialects/index.ts';
import { isObject, parseJson } from '../json/index.ts';
import type { Message, Origin } from '../message/index.ts';
import { type Clock, ProviderError, type RetryNotice } from '../providers/index.ts';
import { type Answer, deliver } from '../providers/transport/deliver.ts';
import { requestIdOf } from '../providers/transport/request-id.ts';
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
  /** Whether anything was told of the reply: then it is too late to ask someone else. */
  readonly told: boolean;
  readonly requestId: string | undefined;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly firstEventMs: number | undefined;
}

/** Sends a request until there is a reply, or no sense in trying. It never throws. */
export async function send(sending: Sending): Promise<Sent> {
  const { target, written, options, stream, signal, clock, onRetry } = sending;
  const { provider, model, connecting } = target;
  const { body, bytes } = written;
  const { timeouts, retry, random } = options;
  const startedAt = clock.now();
  let seen = NOTHING;
  let failure: unknown;
  try {
    await deliver(
      {
        ...connecting,
        ...{ key: connecting.apiKey, provider, model, body, bytes, stream },
        ...{ signal, clock, timeouts, retry, random, onRetry },
      },
      async (answer) => {
        seen = { ...NOTHING, requestId: requestIdOf(answer.response.headers) };
        await receive(answer, sending, seen, startedAt);
        answer.done();
      },
      () => seen.told,
    );
  } catch (error) {
    failure = error;
  }
  return { ...seen, failure, startedAt, durationMs: clock.now() - startedAt };
}

type Seen = { -readonly [Name in 'told' | 'requestId' | 'firstEventMs' | 'reply']: Sent[Name] };

const NOTHING: Seen = { told: false, requestId: undefined, firstEventMs: undefined, reply: undefined };

async function receive(answer: Answer, sending: Sending, seen: Seen, startedAt: number): Promise<void> {
  const isCut = () => seen.reply?.message.origin.cut;
  let failure: ProviderError | undefined;
  try {
    failure = await (sending.stream ? readStream(answer, sending, seen, startedAt) : readText(answer, sending, seen));
  } catch (error) {
    // What breaks behind the end of a reply does not matter any more.
    if (!seen.reply || isCut()) throw error;
  }
  if (isCut())
    failure ??= new ProviderError('the stream ended before its end', {
      ...answer.asked,
      code: 'connection',
      retryable: true,
      requestId: seen.requestId,
    });
  if (failure) throw failure;
}

async function readText(answer: Answer, sending: Sending, seen: Seen): Promise<ProviderError | undefined> {
  const { target, onEvent } = sending;
  const text = await answer.text();
  // A reply can tell of its own failure, as a stream does; some gateways send nothing else.
  const body = parsed(text);
  const failure = isObject(body) && isObject(body.error) ? await answer.errorIn(text) : undefined;
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

async function readStream(
  answer: Answer,
  sending: Sending,
  seen: Seen,
  startedAt: number,
): Promise<ProviderError | undefined> {
  const { target, clock, onEvent, onFirstEvent } = sending;
  const reader = target.dialect.readStream(originOf(sending));
  try {
    for await (const { event, data } of answer.events()) {
      if (seen.firstEventMs === undefined) {
        seen.firstEventMs = clock.now() - startedAt;
        onFirstEvent(seen.firstEventMs);
      }
      for (const told of reader.push(event, data)) {
        if (told.type === 'error') return await answer.errorIn(told.native);
        seen.told ||= told.type !== 'unknown';
        onEvent(told);
      }
    }
    return undefined;
  } finally {
    if (seen.firstEventMs !== undefined) seen.reply = reader.finish();
  }
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

/** Whether a message says anything, so that it belongs into the history. */
export function hasContent({ content }: Message): boolean {
  return content.some((block) => {
    if (block.type === 'reasoning') return block.redacted || block.text !== '';
    return block.type === 'text' ? block.text.trim() !== '' : true;
  });
}
