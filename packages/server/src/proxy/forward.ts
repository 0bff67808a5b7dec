import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { responseHeaders, toHeaderMap } from './headers.ts';
import type { ExchangeTap } from './recording-tap.ts';
import { answerWith, breakOff, providerError } from './respond.ts';
import type { Upstream } from './upstream.ts';

interface ExchangeToForward {
  readonly client: IncomingMessage;
  readonly answer: ServerResponse;
  readonly upstream: Upstream;
  /** Names and values in turn, as they are sent. */
  readonly headers: readonly string[];
  /** The body, if it has been read already. */
  readonly body?: Uint8Array | undefined;
  readonly tap: ExchangeTap;
  readonly connections: Connections;
}

/** Forwards one exchange in both directions, as the bytes arrive. Calls `done` once, at its end. */
export function forward(
  { client, answer, upstream, headers, body, tap, connections }: ExchangeToForward,
  done: ExchangeTap['end'],
): void {
  const { origin, path, provider } = upstream;
  const isSecure = origin.protocol === 'https:';
  let isOver = false;
  const end: ExchangeTap['end'] = (outcome, error) => {
    if (isOver) return;
    isOver = true;
    tap.end(outcome, error);
    done(outcome, error);
  };

  const request = (isSecure ? https : http).request({
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    port: origin.port || (isSecure ? 443 : 80),
    method: client.method,
    path,
    // As a list, headers keep their order and spelling, and Node adds none.
    headers: headers as unknown as http.OutgoingHttpHeaders,
    agent: connections.agentFor(origin.protocol),
  });

  request.on('response', (incoming) => {
    const { statusCode = 502, statusMessage, rawHeaders } = incoming;
    const given = toHeaderMap(rawHeaders);
    connections.answered(request.socket, given);
    answer.sendDate = false;
    const marks = [
      ...(upstream.isDemo ? ['x-skein-demo', 'true'] : []),
      ...(upstream.isSigned ? ['x-skein-signed', 'server'] : []),
    ];
    answer.writeHead(statusCode, statusMessage, [...responseHeaders(rawHeaders, given), ...marks]);
    let hasBytes = false;
    // The headers go out with the first bytes, or alone if no byte has arrived by then.
    setImmediate(() => {
      if (!hasBytes && !answer.destroyed) answer.flushHeaders();
    });
    tap.head(statusCode, given);
    incoming.on('data', (bytes: Buffer) => {
      hasBytes = true;
      if (!answer.write(bytes)) incoming.pause();
      tap.push(bytes);
    });
    answer.on('drain', () => incoming.resume());
    incoming.on('end', () => {
      hasBytes = true;
      answer.end();
      end('done');
    });
    incoming.on('error', (error) => {
      end('cut', error);
      breakOff(answer);
    });
  });

  request.on('error', (error: Error & { code?: string }) => {
    if (isOver) return;
    end(answer.headersSent ? 'cut' : 'failed', error);
    const message = `The proxy could not reach ${provider.id}: ${error.code ?? 'the connection failed'}.`;
    answerWith(answer, 502, 'application/json', providerError(provider.dialect, 502, 'provider_unreachable', message));
  });

  answer.on('close', () => {
    if (answer.writableFinished) return;
    end('cut', new Error('the client left'));
    request.destroy();
  });
  // Without a listener, a client that disconnects while it sends would end the process.
  client.on('error', () => request.destroy());

  if (body) {
    tap.request(body);
    request.end(body);
    tap.requestEnd();
    return;
  }
  client.on('data', (bytes: Buffer) => tap.request(bytes));
  client.on('end', () => tap.requestEnd());
  client.pipe(request);
}

/** Connections to providers, kept open for the next request. */
export interface Connections {
  agentFor(protocol: string): http.Agent;
  /** Reads from a response how long its server keeps the connection open. */
  answered(socket: Duplex | null, headers: ReadonlyMap<string, string>): void;
  close(): void;
}

/**
 * How long an idle connection is kept if its server does not say. Servers on the same machine or network often close
 * after five seconds, load balancers of hosted ones after a minute or more.
 */
export const IDLE_MS = { http: 4000, https: 50_000 };
export const LONGEST_IDLE_MS = 600_000;
/** Connections are closed this much earlier than the server would, so that no request meets one that is closing. */
export const MARGIN_MS = 1000;

export function createConnections(): Connections {
  const kept = new WeakMap<Duplex, number>();
  const options = { keepAlive: true, timeout: LONGEST_IDLE_MS, scheduling: 'lifo' as const };
  const keeping = <A extends http.Agent>(agent: A, otherwise: number): A => {
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
    agent.keepSocketAlive = (socket) => {
      const idle = kept.get(socket) ?? otherwise;
      if (idle <= 0 || !keep(socket)) return false;
      (socket as { setTimeout?: (ms: number) => void }).setTimeout?.(idle);
      return true;
    };
    return agent;
  };
  const plain = keeping(new http.Agent(options), IDLE_MS.http);
  const secure = keeping(new https.Agent(options), IDLE_MS.https);
  return {
    agentFor: (protocol) => (protocol === 'https:' ? secure : plain),
    answered(socket, headers) {
      const seconds = /(?:^|[\s,])timeout=(\d+)/i.exec(headers.get('keep-alive') ?? '')?.[1];
      if (socket && seconds !== undefined)
        kept.set(socket, Math.min(Number(seconds) * 1000 - MARGIN_MS, LONGEST_IDLE_MS));
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}
