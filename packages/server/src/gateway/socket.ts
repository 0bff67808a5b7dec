import { decodeSse, isObject, type JsonObject } from '@skein/core';
import type { ServedError, SocketProtocol } from '@skein/core/dialect';
import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeRequest } from '../proxy/socket.ts';
import { type AnswerSink, ClientLeft } from './client/answer.ts';
import type { ClientCall } from './client/client-call.ts';
import { ClientRefusal } from './client/client-error.ts';

/** How requests on a WebSocket are answered. */
interface SocketOptions {
  readonly protocol: SocketProtocol;
  readonly call: ClientCall;
  /** Answers one request, as a stream. Throws what the client is told. */
  readonly answer: (body: string, sink: AnswerSink, signal: AbortSignal) => Promise<void>;
  readonly describe: (error: unknown) => ServedError;
  /** An id for a response that no model gave. */
  readonly newResponseId: () => string;
}

/** The longest message of a client. */
const MAX_MESSAGE = 64 * 1024 * 1024;
/** How many prepared requests a connection keeps. A client goes on from its last one. */
const WARMUPS_KEPT = 16;
/** So many bytes may wait for a slow client before its provider has to wait, too. */
const MOST_WAITING = 256 * 1024;
/** So many bytes of requests may wait for their turn. A connection that is not read would not tell that its client has left. */
const MOST_ASKED = 16 * 1024 * 1024;

const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: true });

/**
 * Serves a client over a WebSocket: each of its messages that makes a request is answered with the events of a stream. In a
 * lane, one answer comes after the other.
 */
export function serveSocket({ client, socket, head }: UpgradeRequest, options: SocketOptions): void {
  server.handleUpgrade(client, socket, head, (connection) => {
    const { protocol, describe } = options;
    const lanes = new Map<string, Promise<void>>();
    const warmups = new Map<string, JsonObject>();
    const leaving = new AbortController();
    /** The bytes of the requests that are not answered yet. */
    let asking = 0;

    const answer = async (message: JsonObject, lane: string): Promise<void> => {
      const body = withoutMembers(message, protocol.members);
      const request = continueWarmup(body, warmups);
      if (message.generate === false) return sendFrames(connection, warmUp(options, request, warmups), lane);
      try {
        const text = JSON.stringify({ ...request, stream: true });
        await options.answer(text, socketSink(connection, lane), leaving.signal);
      } catch (error) {
        if (error instanceof ClientLeft || leaving.signal.aborted) return;
        sendError(connection, options, describe(error), lane);
      }
    };

    connection.on('message', (data: Buffer) => {
      const message = readObject(data.toString('utf8'));
      const asked = message && protocol.readRequest(message);
      if (!asked) {
        const problem = { status: 400, code: 'invalid_request', message: 'This message makes no request.' };
        sendError(connection, options, problem, '');
        return;
      }
      const { lane } = asked;
      if (asking + data.length > MOST_ASKED && asking > 0) {
        const message = 'Too many requests wait on this connection. Wait for their answers.';
        const problem = describe(new ClientRefusal(message, { status: 429 }));
        sendError(connection, options, problem, lane);
        return;
      }
      asking += data.length;
      const turn = (lanes.get(lane) ?? Promise.resolve())
        .then(() => answer(message, lane))
        .catch(() => connection.terminate())
        .then(() => {
          asking -= data.length;
        });
      lanes.set(lane, turn);
    });
    connection.on('close', () => leaving.abort(new DOMException('the client left', 'AbortError')));
    connection.on('error', () => connection.terminate());
  });
}

/** A request that only prepares the next one: it is answered at once, without output, and kept for that one. */
function warmUp({ call, newResponseId }: SocketOptions, request: JsonObject, warmups: Map<string, JsonObject>): string {
  const id = newResponseId();
  warmups.set(id, request);
  if (warmups.size > WARMUPS_KEPT) warmups.delete(warmups.keys().next().value!);
  const model = typeof request.model === 'string' ? request.model : '';
  const created = Math.floor(Date.now() / 1000);
  // What a stream without events says: nothing.
  const { message } = call.dialect.readStream().finish();
  const stop = { reason: 'end', native: undefined } as const;
  const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0, native: '{}' };
  return call.server.writeStream!({ id, model, created, request }).finish({ message, stop, usage });
}

/** A request that goes on from one that was only prepared has the input of both. */
function continueWarmup(request: JsonObject, warmups: ReadonlyMap<string, JsonObject>): JsonObject {
  const { previous_response_id: previous, ...rest } = request;
  const warm = typeof previous === 'string' ? warmups.get(previous) : undefined;
  if (!warm) return request;
  return { ...warm, ...rest, input: [...toItems(warm.input), ...toItems(rest.input)] };
}

function toItems(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return typeof input === 'string' ? [{ role: 'user', content: input }] : [];
}

/** Sends the events of a stream as messages. */
function socketSink(connection: WebSocket, lane: string): AnswerSink {
  return {
    begin: () => undefined,
    write(text) {
      if (connection.readyState !== connection.OPEN) throw new ClientLeft();
      const sent = sendFrames(connection, text, lane);
      return connection.bufferedAmount > MOST_WAITING ? sent : undefined;
    },
    end: (text) => void sendFrames(connection, text, lane),
  };
}

/** Resolves when the last message has left this process. */
function sendFrames(connection: WebSocket, text: string, lane: string): Promise<void> {
  let sent: Promise<void> = Promise.resolve();
  const decoder = decodeSse((_, data) => {
    const frame = lane === '' ? data : `${data.trimEnd().slice(0, -1)},"stream_id":${JSON.stringify(lane)}}`;
    sent = new Promise((resolve) => connection.send(frame, () => resolve()));
  });
  decoder.push(text);
  decoder.end();
  return sent;
}

function sendError(connection: WebSocket, { call }: SocketOptions, error: ServedError, lane: string): void {
  const body = call.server.errorBody(error);
  const inner = isObject(body.error) ? body.error : body;
  const marked = lane !== '' && { stream_id: lane };
  connection.send(JSON.stringify({ type: 'error', status: error.status, ...marked, error: inner }));
}

function withoutMembers(message: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
