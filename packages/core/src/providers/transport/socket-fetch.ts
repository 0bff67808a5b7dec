/** Requests over one WebSocket, in the form of `fetch`. Loaded on first use. */
import type { SocketProtocol } from '../../dialects/index.ts';
import { isObject, type JsonObject } from '../../json/index.ts';
import type { Fetch } from './exchange.ts';
import { loadPackage } from './optional-package.ts';

/** A connection that carries text messages in both directions. */
interface SocketConnection {
  send(text: string): void;
  close(): void;
}

/** Opens a WebSocket with headers; resolves when it is open. `onClose` is called once, at its end. */
export type OpenSocket = (
  url: string,
  headers: Readonly<Record<string, string>>,
  events: { readonly onMessage: (text: string) => void; readonly onClose: (reason: string) => void },
) => Promise<SocketConnection>;

/** A `fetch` whose requests all go over one connection, one after the other. */
export interface SocketFetch {
  readonly fetch: Fetch;
  close(): void;
}

/** A lost connection is opened again by the next request. */
export function createSocketFetch(protocol: SocketProtocol, open: OpenSocket = openWithWs): SocketFetch {
  let connection: Promise<SocketConnection> | undefined;
  let reader: ReplyReceiver | undefined;

  const connect = (url: string, headers: Readonly<Record<string, string>>): Promise<SocketConnection> => {
    const made = open(url.replace(/^http/, 'ws'), withoutBodyHeaders(headers), {
      onMessage: (text) => reader?.receive(text),
      onClose: (reason) => {
        // The end of a connection that was replaced is no news.
        if (connection !== made) return;
        connection = undefined;
        reader?.fail(reason);
      },
    });
    made.catch(() => {
      if (connection === made) connection = undefined;
    });
    return made;
  };

  const close = () => {
    void connection?.then((socket) => socket.close()).catch(() => undefined);
    connection = undefined;
  };

  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    connection ??= connect(url, init.headers as Record<string, string>);
    const socket = await connection;
    const receiver = new ReplyReceiver(protocol);
    reader = receiver;
    // Nothing on the wire ends a response early, so the connection goes with it.
    init.signal?.addEventListener('abort', () => {
      if (receiver.isOpen) close();
    });
    socket.send(protocol.toMessage(String(init.body)));
    return receiver.response;
  };

  return {
    close,
    async fetch(url, init) {
      const response = await ask(url, init);
      if (response.status < 400) return response;
      const text = await response.text();
      const code = readCode(text);
      if (code === undefined || !protocol.expired.includes(code)) return new Response(text, response);
      // The connection is too old; nothing was done for this request.
      close();
      return ask(url, init);
    },
  };
}

/** Turns the messages of one response into a `Response` with server-sent events, or into the error that came instead. */
class ReplyReceiver {
  readonly response: Promise<Response>;
  readonly #protocol: SocketProtocol;
  readonly #encoder = new TextEncoder();
  #settle!: { resolve: (response: Response) => void; reject: (error: Error) => void };
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  isOpen = true;

  constructor(protocol: SocketProtocol) {
    this.#protocol = protocol;
    this.response = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  receive(text: string): void {
    const message = readObject(text);
    if (!this.isOpen || !message) return;
    const { ends } = this.#protocol.readEvent(message);
    const failure = this.#body ? undefined : this.#protocol.readFailure(message);
    if (failure) {
      this.isOpen = false;
      const { status, error } = failure;
      this.#settle.resolve(Response.json({ error }, { status }));
      return;
    }
    if (!this.#body) this.#begin();
    this.#body!.enqueue(this.#encoder.encode(`${text.replace(/^/gm, 'data: ')}\n\n`));
    if (!ends) return;
    this.isOpen = false;
    this.#body!.close();
  }

  fail(reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const error = new Error(`the WebSocket was closed${reason && `: ${reason}`}`);
    if (this.#body) this.#body.error(error);
    else this.#settle.reject(error);
  }

  #begin(): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      cancel: () => {
        this.isOpen = false;
      },
    });
    this.#settle.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  }
}

/** Headers of a body do not belong to a connection. */
function withoutBodyHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(?:content-type|accept)$/i.test(name)));
}

/** The global `WebSocket` of Node and of browsers cannot send headers, and so no key. */
const openWithWs: OpenSocket = async (url, headers, { onMessage, onClose }) => {
  const { WebSocket } = await loadPackage<typeof import('ws')>('ws', 'The transport "websocket" without "openSocket"');
  const socket = new WebSocket(url, { headers: { ...headers } });
  socket.on('message', (data) => onMessage(String(data)));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  socket.once('close', (code) => onClose(`code ${code}`));
  return { send: (text) => socket.send(text), close: () => socket.close() };
};

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readCode(text: string): string | undefined {
  const error = readObject(text)?.error;
  return isObject(error) && typeof error.code === 'string' ? error.code : undefined;
}
