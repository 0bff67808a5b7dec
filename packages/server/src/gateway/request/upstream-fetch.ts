import type { Fetch } from '@skein/core';
import { Agent, type Dispatcher } from 'undici';
import { createDecoder } from '../../proxy/decode.ts';
import { IDLE_MS, LONGEST_IDLE_MS, MARGIN_MS } from '../../proxy/forward.ts';

/** Sends requests to providers over connections that stay open for the next one. */
export interface UpstreamConnections {
  /**
   * Its responses have what `exchange` reads: status, headers, and a body that is read at the pace of its reader. The platform's own
   * `fetch` costs several times as much, and `node:http` a third more.
   */
  readonly fetch: Fetch;
  close(): void;
}

export function createUpstreamConnections(): UpstreamConnections {
  const agents = { 'http:': createAgent(IDLE_MS.http), 'https:': createAgent(IDLE_MS.https) };
  return {
    fetch: (url, { headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const { protocol, origin, path } = readPlace(url);
        const list = ['user-agent', 'skein'];
        for (const [name, value] of Object.entries(headers as Record<string, string>)) list.push(name, value);
        const handler = new ResponseHandler(resolve, reject, signal);
        agents[protocol].dispatch({ origin, path, method: 'POST', headers: list, body: String(body) }, handler);
      }),
    close() {
      for (const agent of Object.values(agents)) void agent.destroy();
    },
  };
}

/** `exchange` has time limits of its own, which know whether an answer is streamed. */
function createAgent(idleMs: number): Agent {
  return new Agent({
    ...{ headersTimeout: 0, bodyTimeout: 0 },
    ...{ keepAliveTimeout: idleMs, keepAliveMaxTimeout: LONGEST_IDLE_MS, keepAliveTimeoutThreshold: MARGIN_MS },
  });
}

/** Where a request goes. */
interface Place {
  readonly protocol: 'http:' | 'https:';
  readonly origin: string;
  readonly path: string;
}

/** The models of some providers are in their addresses, and clients choose their names. */
const MOST_PLACES = 500;
const places = new Map<string, Place>();

function readPlace(url: string): Place {
  const known = places.get(url);
  if (known) return known;
  const { protocol, origin, pathname, search } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`There is no way to send to ${protocol}`);
  const place: Place = { protocol, origin, path: `${pathname}${search}` };
  if (places.size >= MOST_PLACES) places.clear();
  places.set(url, place);
  return place;
}

type GivenHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** What is read of `Headers`. The platform's own checks every name and value again, and sorts them. */
class ResponseHeaders implements Pick<Headers, 'get' | typeof Symbol.iterator> {
  readonly #given: GivenHeaders;
  #pairs: [name: string, value: string][] | undefined;

  constructor(given: GivenHeaders) {
    this.#given = given;
  }

  get(name: string): string | null {
    return headerText(this.#given[name.toLowerCase()]) ?? null;
  }

  [Symbol.iterator]() {
    this.#pairs ??= Object.entries(this.#given).map(([name, value]) => [name, headerText(value) ?? '']);
    return this.#pairs.values();
  }
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Takes what arrives of a response. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | null | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #body: IncomingBody | undefined;

  constructor(
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
    signal: AbortSignal | null | undefined,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  readonly #abort = () => this.#controller?.abort(new DOMException('the request was stopped', 'AbortError'));

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted) this.#abort();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, given: GivenHeaders): void {
    // The response itself is still to come.
    if (status < 200) return;
    const headers = new ResponseHeaders(given);
    this.#body = createIncomingBody(controller, headers.get('content-encoding') ?? undefined);
    const { reader } = this.#body;
    const response = { status, ok: status < 300, headers, body: { getReader: () => reader } };
    this.#resolve(response as unknown as Response);
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    this.#body?.push(bytes);
  }

  onResponseEnd(): void {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#body?.end();
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.#signal?.removeEventListener('abort', this.#abort);
    if (this.#body) this.#body.fail(cause);
    else this.#reject(new TypeError('fetch failed', { cause }));
  }
}

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** A body that arrives, and its reader. */
interface IncomingBody {
  readonly reader: BodyReader;
  push(bytes: Uint8Array): void;
  end(): void;
  fail(cause: Error): void;
}

type Piece = Awaited<ReturnType<BodyReader['read']>>;

/** How many bytes wait for a reader before the provider has to wait as well. */
const MOST_WAITING = 64 * 1024;

/**
 * Reads a body in portions: what arrived since the last one is one portion, because each passes through a dozen promises. While
 * nobody reads, the provider waits.
 */
function createIncomingBody(controller: Dispatcher.DispatchController, encoding: string | undefined): IncomingBody {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let end: { readonly error?: Error } | undefined;
  let waiting: { resolve(piece: Piece): void; reject(error: Error): void } | undefined;

  const takeAll = (): Piece => {
    const value = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
    pieces = [];
    size = 0;
    return { done: false, value };
  };
  const answer = () => {
    if (!waiting) return;
    if (pieces.length > 0) waiting.resolve(takeAll());
    else if (end?.error) waiting.reject(end.error);
    else if (end) waiting.resolve({ done: true, value: undefined });
    else return;
    waiting = undefined;
  };
  const push = (value: Uint8Array) => {
    // Node hands over the pieces of one read of the socket one by one, before anything that is queued here runs.
    if (waiting && pieces.length === 0) queueMicrotask(answer);
    pieces.push(value);
    size += value.length;
    if (size >= MOST_WAITING) controller.pause();
  };
  const finish = (error?: Error) => {
    end ??= error ? { error } : {};
    answer();
  };
  const fail = (cause: Error) => finish(new TypeError('terminated', { cause }));
  const decoder = createDecoder(encoding, push, fail);

  return {
    push: decoder ? decoder.push : push,
    end: decoder ? () => decoder.end(finish) : finish,
    fail,
    reader: {
      read: () =>
        new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          answer();
          controller.resume();
        }),
      async cancel() {
        if (!end) controller.abort(new DOMException('nobody reads on', 'AbortError'));
      },
    },
  };
}
