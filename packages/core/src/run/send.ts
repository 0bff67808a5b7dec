import type { Reply, StreamEvent, WrittenRequest } from '../dialects/index.ts';
import { isObject, parseJson } from '../json/parse.ts';
import type { Origin } from '../message/index.ts';
import type { RetryNotice } from '../providers/index.ts';
import { deliver, type IncomingResponse } from '../providers/transport/deliver.ts';
import type { ProviderError } from '../providers/transport/provider-error.ts';
import { replyEvents } from './reply-events.ts';
import type { Running } from './running.ts';
import type { Target } from './targets.ts';

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
export async function send(running: Running, target: Target, written: WrittenRequest): Promise<Sent> {
  const { options, journal, clock, stopping, tools, targets } = running;
  const { provider, model, connecting } = target;
  const { body, bytes, manifest } = written;
  const { stream = true, timeouts, retry, random } = options;
  const { signal } = stopping;
  const startedAt = clock.now();
  // What decides where the reply's text may be sent again.
  const origin: Partial<Origin> = {
    issuer: provider.issuer,
    model,
    ...(provider.apiVersion !== undefined && { apiVersion: provider.apiVersion }),
    ...(connecting.account !== undefined && { account: connecting.account }),
    prefix: manifest.prefix,
  };
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
        seen = { ...NOTHING, requestId: answer.requestId };
        await receive(answer);
        answer.done();
      },
      () => seen.told,
    );
  } catch (error) {
    failure = error;
  }
  return { ...seen, failure, startedAt, durationMs: clock.now() - startedAt };

  function onRetry({ attempts: attempt, waitMs, error }: RetryNotice): void {
    journal.emit({ type: 'retry', attempt, waitMs, reason: error.message });
    journal.observe({ type: 'retry', attempt, waitMs, code: error.code });
  }

  async function receive(answer: IncomingResponse): Promise<void> {
    const isCut = () => seen.reply?.message.origin.cut;
    let failed: ProviderError | undefined;
    try {
      failed = await (stream ? readStream(answer) : readText(answer));
    } catch (error) {
      // What breaks behind the end of a reply does not matter any more.
      if (!seen.reply || isCut()) throw error;
    }
    if (isCut()) failed ??= answer.incomplete('the stream ended before its end');
    if (failed) throw failed;
  }

  async function readText(answer: IncomingResponse): Promise<ProviderError | undefined> {
    const text = await answer.text();
    // A reply can tell of its own failure, as a stream does; some gateways send nothing else.
    const value = parsed(text);
    const failed = isObject(value) && isObject(value.error) ? await answer.reportedError(text) : undefined;
    try {
      seen.reply = target.dialect.readResponse(text, origin);
    } catch (error) {
      throw failed ?? (await answer.unreadable(text, error));
    }
    if (!failed) for (const event of replyEvents(seen.reply.message)) tell(event);
    // Nor is it asked for again where it says nothing.
    seen.told ||= !failed;
    return failed;
  }

  async function readStream(answer: IncomingResponse): Promise<ProviderError | undefined> {
    const reader = target.dialect.readStream(origin);
    try {
      for await (const { event, data } of answer.events()) {
        if (seen.firstEventMs === undefined) {
          seen.firstEventMs = clock.now() - startedAt;
          journal.observe({ type: 'first-event', step: journal.step, ms: seen.firstEventMs });
        }
        for (const told of reader.push(event, data)) {
          if (told.type === 'error') return await answer.reportedError(told.native);
          tell(told);
        }
      }
      return undefined;
    } finally {
      if (seen.firstEventMs !== undefined) seen.reply = reader.finish();
    }
  }

  function tell(event: Exclude<StreamEvent, { type: 'error' }>): void {
    seen.told ||= event.type !== 'unknown';
    journal.emit(event.type === 'tool-use' && tools ? { ...event, name: tools.ownName(event.name, targets) } : event);
  }
}

type Seen = { -readonly [Name in 'told' | 'requestId' | 'firstEventMs' | 'reply']: Sent[Name] };

const NOTHING: Seen = { told: false, requestId: undefined, firstEventMs: undefined, reply: undefined };

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
