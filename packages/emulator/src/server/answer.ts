/** Answers as status, headers and bytes. */
import { type Json, stringify } from '../json.ts';
import type { Protocol } from '../protocol.ts';
import type { Rendered, SseEvent } from '../render/rendered.ts';
import { sseText, withExtraEvents } from '../render/sse.ts';
import type { ErrorReply, MessageReply, RawReply } from '../reply/reply.ts';
import { retryHeaders, retryMilliseconds, type Transport } from '../reply/transport.ts';
import { defaultError, errorBody, errorEvent, type ProviderError } from './errors.ts';
import type { Answer } from './send.ts';

/** What an answer is made for. */
export interface Asked {
  readonly protocol: Protocol;
  readonly stream: 'sse' | 'array' | undefined;
  readonly requestId: string;
  readonly now: number;
}

const idHeader = (protocol: Protocol): string => (protocol === 'anthropic-messages' ? 'request-id' : 'x-request-id');

function answer(asked: Asked, status: number, type: string, chunks: readonly string[], transport: Transport): Answer {
  const bytes = chunks.map((chunk) => Buffer.from(chunk, 'utf8'));
  const length = Buffer.concat(bytes).length;
  return {
    status: transport.status ?? status,
    headers: {
      'content-type': type,
      // A length that is not kept would hide where a body was cut.
      ...(asked.stream === undefined && transport.break === undefined && { 'content-length': `${length}` }),
      [idHeader(asked.protocol)]: asked.requestId,
      ...retryHeaders(transport.retryAfter, asked.now),
      ...lowerCase(transport.headers),
    },
    chunks: bytes,
    transport,
  };
}

const lowerCase = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

export const jsonAnswer = (asked: Asked, status: number, body: string, transport: Transport = {}): Answer => {
  // Google wraps an error of a stream that is no SSE into the array that was asked for.
  const text = asked.stream === 'array' ? `[${body}]` : body;
  return answer({ ...asked, stream: undefined }, status, 'application/json', [text], transport);
};

export const errorAnswer = (asked: Asked, error: ProviderError, transport: Transport = {}): Answer =>
  jsonAnswer(asked, error.status, stringify(errorBody(asked.protocol, error, asked.requestId)), transport);

/** A scripted error, completed by what goes with its status. */
export function scriptedError(asked: Asked, { error, ...transport }: ErrorReply): Answer {
  const wait = retryMilliseconds(transport.retryAfter);
  const isGoogle = asked.protocol === 'google-generatecontent';
  // Google repeats it in the body (recorded).
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${(wait ?? 0) / 1000}s` };
  const details = isGoogle && wait !== undefined ? { details: [retry] } : {};
  return errorAnswer(asked, { ...defaultError(asked.protocol, error.status), ...error, ...details }, transport);
}

export function rawAnswer({ raw, ...transport }: RawReply): Answer {
  const chunks = raw.chunks ?? [raw.body ?? ''];
  return {
    status: raw.status ?? transport.status ?? 200,
    headers: { ...lowerCase(raw.headers), ...lowerCase(transport.headers) },
    chunks: chunks.map((chunk) => Buffer.from(chunk as Uint8Array)),
    transport,
  };
}

const newline = (protocol: Protocol): string => (protocol === 'google-generatecontent' ? '\r\n' : '\n');

/** Google's other stream: one JSON array, element by element. */
function arrayTexts(events: readonly SseEvent[]): readonly string[] {
  const last = events.length - 1;
  return events.map(({ data = '' }, index) => `${index === 0 ? '[' : ',\r\n'}${data}${index === last ? ']' : ''}`);
}

/** Events up to the scripted error, and the error. */
function withError(asked: Asked, reply: MessageReply, events: readonly SseEvent[]): readonly SseEvent[] {
  const { streamError } = reply;
  if (!streamError) return events;
  const before = events.slice(0, streamError.afterEvents);
  return [...before, errorEvent(asked.protocol, streamFault(asked.protocol, reply), asked.requestId, before.length)];
}

function streamFault(protocol: Protocol, { streamError }: MessageReply): ProviderError {
  const status = streamError?.status ?? (protocol === 'anthropic-messages' ? 529 : 500);
  const { message, type } = { ...defaultError(protocol, status), ...streamError };
  return { status, message, ...(type !== undefined && { type }) };
}

export function messageAnswer(asked: Asked, reply: MessageReply, { body, events }: Rendered): Answer {
  if (asked.stream === undefined) {
    if (reply.streamError) return errorAnswer(asked, streamFault(asked.protocol, reply), reply);
    return jsonAnswer(asked, 200, stringify(body satisfies Json), reply);
  }
  const all = withError(asked, reply, withExtraEvents(events, reply.events));
  if (asked.stream === 'array') return answer(asked, 200, 'application/json', arrayTexts(all), reply);
  const texts = all.map((event) => sseText(event, newline(asked.protocol)));
  return answer(asked, 200, 'text/event-stream; charset=utf-8', texts, reply);
}
