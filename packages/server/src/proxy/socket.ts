import type { IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import type { Duplex, Writable } from 'node:stream';
import { decodeSse, isObject } from '@skein/core';
import type { SocketProtocol } from '@skein/core/dialect';
import * as ws from 'ws';
import { WebSocketServer } from 'ws';
import { toHeaderMap } from './headers.ts';
import type { SocketRecording } from './socket-recording.ts';
import type { Upstream } from './upstream.ts';

/** A client that asks for a WebSocket: its request, its connection, and what it has sent already. */
export interface UpgradeRequest {
  readonly client: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

interface SocketToRelay extends UpgradeRequest {
  readonly upstream: Upstream;
  /** Names and values in turn, as they are sent. */
  readonly headers: readonly string[];
  /** Absent if the messages are not recorded. */
  readonly recording: SocketRecording | undefined;
  readonly onUnreadable: () => void;
}

/** Connects a client with the provider, and passes the bytes of both on as they arrive. Calls `done` once. */
export function relaySocket(
  { client, socket, head, upstream, headers, recording, onUnreadable }: SocketToRelay,
  done: (outcome: 'done' | 'failed') => void,
): void {
  const { origin, path, provider } = upstream;
  const isSecure = origin.protocol === 'https:';
  const request = (isSecure ? https : http).request({
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    port: origin.port || (isSecure ? 443 : 80),
    method: client.method,
    path,
    headers: [...headers, 'Connection', 'Upgrade', 'Upgrade', 'websocket'] as unknown as http.OutgoingHttpHeaders,
    agent: false,
  });
  let isOver = false;
  const end = (outcome: 'done' | 'failed') => {
    if (isOver) return;
    isOver = true;
    done(outcome);
  };
  socket.on('error', () => request.destroy());

  request.on('upgrade', (response, provided, first) => {
    socket.write(statusLines(response));
    const extensions = toHeaderMap(response.rawHeaders).get('sec-websocket-extensions');
    const reader = (isFromClient: boolean, onMessage: (text: string) => void) =>
      createMessageReader({ isFromClient, extensions, onMessage, onError: onUnreadable });
    const fromClient = recording && reader(true, recording.fromClient);
    const fromServer = recording && reader(false, recording.fromServer);
    connect(socket, provided, head, (bytes) => fromClient?.push(bytes));
    connect(provided, socket, first, (bytes) => fromServer?.push(bytes));
    let open = 2;
    const closed = () => {
      open -= 1;
      if (open > 0) return;
      if (!recording || !fromClient || !fromServer) end('done');
      else
        fromClient.end(() =>
          fromServer.end(() => {
            recording.end();
            end('done');
          }),
        );
    };
    socket.once('close', closed);
    provided.once('close', closed);
  });
  // The provider does not open a WebSocket, and says why.
  request.on('response', (response) => {
    socket.write(statusLines(response));
    response.pipe(socket);
    response.once('end', () => end('failed'));
  });
  request.on('error', (error: Error & { code?: string }) => {
    if (isOver) return;
    const message = `The proxy could not reach ${provider.id}: ${error.code ?? 'the connection failed'}.`;
    refuseUpgrade(socket, 502, JSON.stringify({ error: { message, code: 'provider_unreachable' } }));
    end('failed');
  });
  socket.once('close', () => {
    if (isOver) return;
    request.destroy();
    end('failed');
  });
  request.end();
}

/** Passes bytes from one connection to the other, to its end. */
function connect(from: Duplex, to: Duplex, first: Buffer, see: (bytes: Buffer) => void): void {
  const pass = (bytes: Buffer) => {
    if (!to.write(bytes)) from.pause();
    see(bytes);
  };
  if (first.length > 0) pass(first);
  from.on('data', pass);
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.on('close', () => to.destroy());
  from.on('error', () => to.destroy());
}

/** The head of a response, with its headers as they came. */
function statusLines({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Answers a request for a WebSocket with an error. */
export function refuseUpgrade(socket: Duplex, status: number, body: string): void {
  const lines = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

const replaying = new WebSocketServer({ noServer: true });

/** Answers the requests on a WebSocket from recordings, each with the events that it had. */
export function replaySocket(
  { client, socket, head }: UpgradeRequest,
  protocol: SocketProtocol,
  answer: (message: string) => Promise<Response>,
): void {
  replaying.handleUpgrade(client, socket, head, (connection) => {
    /** In a lane, one answer comes after the other. */
    const lanes = new Map<string, Promise<void>>();
    connection.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      const message = readJson(text);
      const asked = isObject(message) ? protocol.readRequest(message) : undefined;
      if (!asked) return;
      const next = (lanes.get(asked.lane) ?? Promise.resolve()).then(async () => {
        const response = await answer(text);
        const body = await response.text().catch(() => undefined);
        if (body === undefined) connection.terminate();
        else for (const frame of toMessages(response.status, body, asked.lane)) connection.send(frame);
      });
      lanes.set(
        asked.lane,
        next.catch(() => connection.terminate()),
      );
    });
    connection.on('error', () => connection.terminate());
  });
}

function toMessages(status: number, body: string, lane: string): readonly string[] {
  const value = readJson(body);
  if (!isObject(value)) {
    const messages: string[] = [];
    const decoder = decodeSse((_, data) => messages.push(data));
    decoder.push(body);
    decoder.end();
    return messages;
  }
  // The API refused the request with this message; any other body says why there is no recording of it.
  if (value.type === 'error') return [body];
  const error = isObject(value.error) ? value.error : value;
  return [JSON.stringify({ type: 'error', status, ...(lane !== '' && { stream_id: lane }), error })];
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The parts of `ws` that its types leave out: reading frames without a connection of one's own. */
interface FrameReading {
  readonly Receiver: new (options: {
    readonly isServer: boolean;
    readonly maxPayload: number;
    readonly extensions: Readonly<Record<string, unknown>>;
  }) => Writable;
  readonly PerMessageDeflate: {
    readonly extensionName: string;
    new (options: {
      readonly isServer?: boolean;
      readonly maxPayload: number;
    }): { params: unknown; accept(offers: unknown): unknown };
  };
  readonly extension: { parse(header: string): Readonly<Record<string, unknown>> };
}

const { Receiver, PerMessageDeflate, extension } = ws as unknown as FrameReading;

/** The longest message that is read; longer ones pass, but end the reading. */
const MAX_MESSAGE = 64 * 1024 * 1024;

/** Reads the text messages of one direction of a WebSocket from its bytes, without touching them. */
interface MessageReader {
  push(bytes: Uint8Array): void;
  /** Calls back when everything that was pushed has been read. */
  end(done: () => void): void;
}

interface MessageReaderOptions {
  /** Whether the bytes come from the client, whose frames are masked. */
  readonly isFromClient: boolean;
  /** The header in which the server accepted extensions. */
  readonly extensions: string | undefined;
  readonly onMessage: (text: string) => void;
  /** The bytes cannot be read; nothing more is read from then on. */
  readonly onError: (error: Error) => void;
}

/** Undoes framing, fragmentation and compression. */
function createMessageReader({ isFromClient, extensions, onMessage, onError }: MessageReaderOptions): MessageReader {
  const receiver = new Receiver({
    isServer: isFromClient,
    maxPayload: MAX_MESSAGE,
    extensions: readExtensions(extensions, isFromClient),
  });
  receiver.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) onMessage(data.toString('utf8'));
  });
  let isBroken = false;
  receiver.on('error', (error: Error) => {
    isBroken = true;
    onError(error);
  });
  return {
    push(bytes) {
      // The receiver unmasks in place, and the bytes are forwarded, too.
      if (!isBroken) receiver.write(Buffer.from(bytes));
    },
    end(done) {
      if (isBroken || receiver.destroyed) done();
      else receiver.end(done);
    },
  };
}

function readExtensions(header: string | undefined, isServer: boolean): Record<string, unknown> {
  const name = PerMessageDeflate.extensionName;
  const accepted = header === undefined ? undefined : extension.parse(header)[name];
  if (!accepted) return {};
  // What the server accepted holds for both directions.
  const client = new PerMessageDeflate({ maxPayload: MAX_MESSAGE });
  const own = new PerMessageDeflate({ isServer, maxPayload: MAX_MESSAGE });
  own.params = client.accept(accepted);
  return { [name]: own };
}
