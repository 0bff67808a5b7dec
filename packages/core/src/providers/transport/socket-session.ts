/** Requests over WebSockets, in the form of `fetch`. */
import type { SocketProtocol } from '../../dialects/index.ts';
import { isObject, type JsonObject } from '../../json/index.ts';
import type { Fetch } from './exchange.ts';
import { loadPackage } from './optional-package.ts';
import { SocketReply, type SteerOutcome } from './socket-reply.ts';

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

/** How a session opens its connections. */
export interface SocketSessionOptions {
  /** Default: with the package `ws`. */
  readonly openSocket?: OpenSocket | undefined;
}

/**
 * WebSockets that several runs share: one connection for each address. Runs at the same time have lanes of their own. What
 * an API keeps in the memory of a connection, the next run continues. Close it when no run needs it any more.
 *
 * @example
 * const session = new SocketSession();
 * const [one, other] = [run({ model, messages, transport: session }), run({ model, messages, transport: session })];
 * await Promise.all([one.result, other.result]);
 * session.close();
 */
export class SocketSession {
  /** The responses that only these connections can continue, by the manifests of their requests. */
  readonly answers = new WeakMap<object, { readonly id: string; readonly reply: string }>();
  readonly #open: OpenSocket;
  readonly #links = new Map<string, SocketLink[]>();

  constructor({ openSocket = openWithWs }: SocketSessionOptions = {}) {
    this.#open = openSocket;
  }

  /** A lane for one run. */
  lane(protocol: SocketProtocol): SocketLane {
    return new SocketLane(protocol, (url) => this.#findLink(url, protocol));
  }

  close(): void {
    for (const links of this.#links.values()) for (const link of links) link.close();
    this.#links.clear();
  }

  #findLink(url: string, protocol: SocketProtocol): SocketLink {
    const links = this.#links.get(url) ?? [];
    this.#links.set(url, links);
    const free = links.find((link) => link.hasRoom);
    if (free) return free;
    const link = new SocketLink(url, protocol, this.#open);
    links.push(link);
    return link;
  }
}

/** How many lanes with a name a connection has besides the one without. */
const MOST_LANES = 32;

/** A connection, opened again when it is lost. */
class SocketLink {
  readonly #url: string;
  readonly #protocol: SocketProtocol;
  readonly #open: OpenSocket;
  readonly #lanes = new Set<string>();
  readonly #replies = new Map<string, SocketReply>();
  /** The connections that replies come over. */
  readonly #carriers = new WeakMap<SocketReply, Promise<SocketConnection>>();
  #connection: Promise<SocketConnection> | undefined;

  constructor(url: string, protocol: SocketProtocol, open: OpenSocket) {
    this.#url = url;
    this.#protocol = protocol;
    this.#open = open;
  }

  get hasRoom(): boolean {
    return this.#lanes.size <= MOST_LANES;
  }

  /** The first lane that nobody uses; the one without a name comes first. */
  takeLane(): string {
    const names = ['', ...Array.from({ length: MOST_LANES }, (_, index) => `lane-${index + 1}`)];
    const lane = names.find((name) => !this.#lanes.has(name))!;
    this.#lanes.add(lane);
    return lane;
  }

  /** A response that is still on its way keeps its lane until it has come to its end. */
  freeLane(lane: string): void {
    const reply = this.#replies.get(lane);
    if (reply?.isOpen && this.#lanes.size > 1) {
      reply.whenOver(() => this.#lanes.delete(lane));
      return;
    }
    // Nothing on the wire ends a response early, so the connection goes with it.
    if (reply?.isOpen) this.close();
    this.#lanes.delete(lane);
  }

  async send(text: string, reply: SocketReply, headers: Readonly<Record<string, string>>): Promise<void> {
    this.#connection ??= this.#connect(headers);
    const connection = this.#connection;
    const socket = await connection;
    this.#carriers.set(reply, connection);
    this.follow(reply);
    socket.send(text);
  }

  /** Hands the messages of a lane to this reply from now on. It comes over the same connection as the one before it. */
  follow(reply: SocketReply): void {
    const before = this.#replies.get(reply.lane);
    const carrier = before && this.#carriers.get(before);
    if (carrier && !this.#carriers.has(reply)) this.#carriers.set(reply, carrier);
    this.#replies.set(reply.lane, reply);
  }

  /** Sends a message that makes no response of its own. */
  tell(text: string): void {
    void this.#connection?.then((socket) => socket.send(text)).catch(() => undefined);
  }

  /** The next request opens another connection than that of a reply; responses on this one come to their end. */
  replace(failed: SocketReply): void {
    // Another lane may have been faster.
    if (this.#carriers.get(failed) !== this.#connection) return;
    if ([...this.#replies.values()].some(({ isOpen }) => isOpen)) this.#connection = undefined;
    else this.close();
  }

  close(): void {
    void this.#connection?.then((socket) => socket.close()).catch(() => undefined);
    this.#connection = undefined;
  }

  #connect(headers: Readonly<Record<string, string>>): Promise<SocketConnection> {
    const made = this.#open(this.#url.replace(/^http/, 'ws'), withoutBodyHeaders(headers), {
      onMessage: (text) => {
        const message = readObject(text);
        if (message) this.#replies.get(this.#protocol.readEvent(message).lane)?.receive(text, message);
      },
      onClose: (reason) => {
        if (this.#connection === made) this.#connection = undefined;
        for (const reply of this.#replies.values()) if (this.#carriers.get(reply) === made) reply.fail(reason);
      },
    });
    made.catch(() => {
      if (this.#connection === made) this.#connection = undefined;
    });
    return made;
  }
}

/** The requests of one run, one after the other, in a lane of a shared connection. */
export class SocketLane {
  readonly #protocol: SocketProtocol;
  readonly #find: (url: string) => SocketLink;
  #link: SocketLink | undefined;
  #lane = '';
  #reply: SocketReply | undefined;
  /** Whether the next request only prepares the API. */
  isWarmUp = false;

  constructor(protocol: SocketProtocol, find: (url: string) => SocketLink) {
    this.#protocol = protocol;
    this.#find = find;
  }

  readonly fetch: Fetch = async (url, init) => {
    const response = await this.#ask(url, init);
    if (response.status < 400) return response;
    const text = await response.text();
    const code = readCode(text);
    if (code === undefined || !this.#protocol.expired.includes(code)) return new Response(text, response);
    // The connection is too old; nothing was done for this request.
    if (this.#reply) this.#link?.replace(this.#reply);
    return this.#ask(url, init);
  };

  /**
   * Adds input to the response that is on its way. `told` is called once, with what became of it. Returns false if there is
   * no such response.
   */
  steer(items: string, told: (outcome: SteerOutcome) => void): boolean {
    const message = this.#reply?.steer(items, told);
    if (message === undefined || !this.#link) return false;
    this.#link.tell(message);
    return true;
  }

  /** Resolves when it is known what became of all input that was added. */
  async settle(): Promise<void> {
    await this.#reply?.settled;
  }

  /** Others may use the lane; the next request takes another one. */
  release(): void {
    const link = this.#link;
    this.#link = undefined;
    link?.freeLane(this.#lane);
  }

  async #ask(url: string, init: RequestInit): Promise<Response> {
    if (!this.#link) {
      this.#link = this.#find(url);
      this.#lane = this.#link.takeLane();
    }
    const link = this.#link;
    // The API made this response by itself, after input was added to the one before.
    const successor = this.#reply?.takeSuccessor();
    const reply = successor ?? new SocketReply(this.#protocol, this.#lane, (next) => link.follow(next));
    this.#reply = reply;
    init.signal?.addEventListener('abort', () => {
      if (reply.isOpen) this.release();
    });
    const message = this.#protocol.toMessage(String(init.body), { lane: this.#lane, isWarmUp: this.isWarmUp });
    if (!successor) await link.send(message, reply, init.headers as Record<string, string>);
    return reply.response;
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
