/** Answers: status, headers and bytes, and how they are sent with everything that was scripted to go wrong. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Json, stringify } from '../json.ts';
import type { Protocol } from '../protocol.ts';
import type { RenderedReply, SseEvent } from '../render/renderer.ts';
import type { BytesReply, ErrorReply, ExtraEvent, MessageReply, RetryDelay, Transport } from '../reply.ts';
import { chunkFrame, exceptionEvent, exceptionName, frame } from './aws.ts';
import { defaultError, errorBody, errorEvent, type ProviderError } from './errors.ts';
import type { Cloud, StreamForm } from './route.ts';
import type { HeaderMap, ServedResponse, Sleep } from './state.ts';

export interface Answer {
  readonly status: number;
  readonly headers: HeaderMap;
  /** Events of a stream, or a body in one piece. */
  readonly chunks: readonly Buffer[];
  readonly transport: Transport;
}

/** What the form of an answer depends on. */
export interface AnswerContext {
  readonly protocol: Protocol;
  readonly stream: StreamForm | undefined;
  /** The cloud that serves the API, where that is another than its vendor. */
  readonly cloud?: Cloud | undefined;
  readonly requestId: string;
  readonly now: number;
}

const idHeader = ({ protocol, cloud }: AnswerContext): string => {
  if (cloud === 'aws') return 'x-amzn-requestid';
  return protocol === 'anthropic-messages' ? 'request-id' : 'x-request-id';
};

function answer(
  context: AnswerContext,
  status: number,
  type: string,
  chunks: readonly (string | Buffer)[],
  transport: Transport,
): Answer {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk));
  const length = Buffer.concat(bytes).length;
  return {
    status: transport.status ?? status,
    headers: {
      'content-type': type,
      // With a length the client would notice a cut by counting, not by how the connection ended.
      ...(context.stream === undefined && transport.break === undefined && { 'content-length': `${length}` }),
      [idHeader(context)]: context.requestId,
      ...(context.cloud === 'aws' && status >= 400 && { 'x-amzn-errortype': exceptionName(status) }),
      ...retryHeaders(transport.retryAfter, context.now),
      ...lowerCase(transport.headers),
    },
    chunks: bytes,
    transport,
  };
}

const lowerCase = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

export const jsonAnswer = (context: AnswerContext, status: number, body: string, transport: Transport = {}): Answer => {
  // When a stream was requested as an array, Google sends errors as an array as well.
  const text = context.stream === 'array' ? `[${body}]` : body;
  return answer({ ...context, stream: undefined }, status, 'application/json', [text], transport);
};

export const errorAnswer = (context: AnswerContext, error: ProviderError, transport: Transport = {}): Answer =>
  jsonAnswer(context, error.status, stringify(cloudErrorBody(context, error)), transport);

/** AWS has one form of errors for all APIs; Google answers for itself only where it does not let a request through. */
export function cloudErrorBody({ protocol, cloud, requestId }: AnswerContext, error: ProviderError): Json {
  if (cloud === 'aws') return { message: error.message };
  const isGoogle = cloud === 'google' && error.status === 401;
  return errorBody(isGoogle ? 'google-generatecontent' : protocol, error, requestId);
}

/** A scripted error, completed with the usual type and message of its status. */
export function scriptedError(context: AnswerContext, { error, ...transport }: ErrorReply): Answer {
  const wait = retryMilliseconds(transport.retryAfter);
  const isGoogle = context.protocol === 'google-generatecontent';
  // Google repeats the delay in the body (recorded).
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${(wait ?? 0) / 1000}s` };
  const details = isGoogle && wait !== undefined ? { details: [retry] } : {};
  return errorAnswer(context, { ...defaultError(context.protocol, error.status), ...error, ...details }, transport);
}

function retryHeaders(retry: RetryDelay | undefined, now: number): Record<string, string> {
  if (retry === undefined) return {};
  if ('seconds' in retry) return { 'retry-after': `${retry.seconds}` };
  if ('ms' in retry) return { 'retry-after-ms': `${retry.ms}` };
  return { 'retry-after': new Date(now + retry.dateIn).toUTCString() };
}

function retryMilliseconds(retry: RetryDelay | undefined): number | undefined {
  if (retry === undefined) return undefined;
  if ('seconds' in retry) return retry.seconds * 1000;
  return 'ms' in retry ? retry.ms : retry.dateIn;
}

export function rawAnswer({ raw, ...transport }: BytesReply): Answer {
  const chunks = raw.chunks ?? [raw.body ?? ''];
  return {
    status: raw.status ?? transport.status ?? 200,
    headers: { ...lowerCase(raw.headers), ...lowerCase(transport.headers) },
    chunks: chunks.map((chunk) => Buffer.from(chunk as Uint8Array)),
    transport,
  };
}

const newline = (protocol: Protocol): string => (protocol === 'google-generatecontent' ? '\r\n' : '\n');

/** Google's other form of a stream: one JSON array, sent element by element. */
function arrayTexts(events: readonly SseEvent[]): readonly string[] {
  const last = events.length - 1;
  return events.map(({ data = '' }, index) => `${index === 0 ? '[' : ',\r\n'}${data}${index === last ? ']' : ''}`);
}

/** The events before the scripted error, then the error. */
function withError(context: AnswerContext, reply: MessageReply, events: readonly SseEvent[]): readonly SseEvent[] {
  const { streamError } = reply;
  if (!streamError) return events;
  const before = events.slice(0, streamError.afterEvents);
  const fault = streamFault(context.protocol, reply);
  if (context.cloud === 'aws') return [...before, exceptionEvent(fault.status, fault.message)];
  return [...before, errorEvent(context.protocol, fault, context.requestId, before.length)];
}

function streamFault(protocol: Protocol, { streamError }: MessageReply): ProviderError {
  const status = streamError?.status ?? (protocol === 'anthropic-messages' ? 529 : 500);
  const { message, type } = { ...defaultError(protocol, status), ...streamError };
  return { status, message, ...(type !== undefined && { type }) };
}

export function messageAnswer(context: AnswerContext, reply: MessageReply, { body, events }: RenderedReply): Answer {
  if (context.stream === undefined) {
    if (reply.streamError) return errorAnswer(context, streamFault(context.protocol, reply), reply);
    return jsonAnswer(context, 200, stringify(body satisfies Json), reply);
  }
  const all = withError(context, reply, withExtraEvents(events, reply.events));
  if (context.stream === 'array') return answer(context, 200, 'application/json', arrayTexts(all), reply);
  if (context.stream === 'frames' || context.stream === 'chunks') {
    // There are no comments in this form.
    const frames = all.filter(({ data }) => data !== undefined).map(context.stream === 'frames' ? frame : chunkFrame);
    return answer(context, 200, 'application/vnd.amazon.eventstream', frames, reply);
  }
  const texts = all.map((event) => sseText(event, newline(context.protocol)));
  return answer(context, 200, 'text/event-stream; charset=utf-8', texts, reply);
}

function sseText({ event, data, comment }: SseEvent, newline: string): string {
  const lines = [
    ...(comment === undefined ? [] : [`: ${comment}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${data}`]),
  ];
  return `${lines.join(newline)}${newline}${newline}`;
}

/** Inserts the events that the protocol does not know, each after the scripted number of known ones. */
function withExtraEvents(events: readonly SseEvent[], extra: readonly ExtraEvent[] = []): readonly SseEvent[] {
  const at = (index: number) =>
    extra
      .filter(({ after }) => Math.min(after, events.length) === index)
      .map(
        ({ event, data, comment }): SseEvent => ({
          ...(event !== undefined && { event }),
          ...(data !== undefined && { data: stringify(data) }),
          ...(comment !== undefined && { comment }),
        }),
      );
  return [...at(0), ...events.flatMap((event, index) => [event, ...at(index + 1)])];
}

/** The chunks before the scripted break; all of them when there is none. */
function untilBreak(chunks: readonly Buffer[], { break: fault }: Transport): readonly Buffer[] {
  if (fault === undefined) return chunks;
  if (typeof fault.after === 'string') return [];
  if ('events' in fault.after) return chunks.slice(0, fault.after.events);
  const parts: Buffer[] = [];
  let left = fault.after.bytes;
  for (const chunk of chunks) {
    if (left > 0) parts.push(chunk.subarray(0, left));
    left -= chunk.length;
  }
  return parts;
}

function cutChunks(chunks: readonly Buffer[], size: number | undefined): readonly Buffer[] {
  if (size === undefined) return chunks;
  const all = Buffer.concat(chunks);
  const parts: Buffer[] = [];
  for (let start = 0; start < all.length; start += Math.max(1, size)) {
    parts.push(all.subarray(start, start + Math.max(1, size)));
  }
  return parts;
}

/** Resolves once the bytes were handed to the socket: a cut after them must not lose them. */
const write = (response: ServerResponse, chunk: Buffer): Promise<void> =>
  new Promise((resolve) => {
    response.write(chunk, () => resolve());
  });

async function breakOff(response: ServerResponse, how: 'cut' | 'reset' | 'hang' | 'end', signal: AbortSignal) {
  if (how === 'end') response.end();
  else if (how === 'cut') response.socket?.destroy();
  else if (how === 'reset') response.socket?.resetAndDestroy();
  else if (!signal.aborted) await once(signal, 'abort');
}

/** Sends an answer; resolves when the response has ended, however it ended. */
export async function send(
  response: ServerResponse,
  answer: Answer,
  sleep: Sleep,
  signal: AbortSignal,
): Promise<ServedResponse> {
  const { status, headers, transport } = answer;
  const { break: fault, delay = 0, chunkDelay = 0, chunkBytes } = transport;
  const sent: Buffer[] = [];
  const served = (ended: ServedResponse['ended']): ServedResponse => ({
    status,
    headers,
    body: Buffer.concat(sent),
    ended,
  });
  const pause = async (milliseconds: number) => {
    if (milliseconds > 0) await sleep(milliseconds, signal).catch(() => undefined);
  };
  await pause(delay);
  if (signal.aborted) return served('left');
  if (fault?.after === 'request') {
    await breakOff(response, fault.how, signal);
    return served(fault.how);
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const [index, chunk] of cutChunks(untilBreak(answer.chunks, transport), chunkBytes).entries()) {
    if (index > 0) await pause(chunkDelay);
    if (signal.aborted) return served('left');
    await write(response, chunk);
    sent.push(chunk);
  }
  if (signal.aborted) return served('left');
  if (fault) {
    await breakOff(response, fault.how, signal);
    return served(fault.how);
  }
  response.end();
  return served('complete');
}
