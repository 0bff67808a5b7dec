import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Connections } from './connections.ts';
import { headersOf, responseHeaders } from './headers.ts';
import { answerWith, breakOff, providerError } from './provider-error.ts';
import type { Target } from './target.ts';
import type { Watch } from './watch.ts';

export interface Passing {
  readonly client: IncomingMessage;
  readonly answer: ServerResponse;
  readonly target: Target;
  /** As they are sent, names and values in turn. */
  readonly headers: readonly string[];
  /** The request's bytes, where they were read already. */
  readonly body?: Uint8Array | undefined;
  readonly watch: Watch;
  readonly connections: Connections;
}

/** Moves the bytes of one exchange, both ways and as they come. `done` is called once, at its end. */
export function passOn(
  { client, answer, target, headers, body, watch, connections }: Passing,
  done: Watch['end'],
): void {
  const { origin, path, provider } = target;
  const isSecure = origin.protocol === 'https:';
  let isOver = false;
  const end: Watch['end'] = (outcome, error) => {
    if (isOver) return;
    isOver = true;
    watch.end(outcome, error);
    done(outcome, error);
  };

  const upstream = (isSecure ? https : http).request({
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    port: origin.port || (isSecure ? 443 : 80),
    method: client.method,
    path,
    // Given as a list they go out in their order and spelling, and nothing is added.
    headers: headers as unknown as http.OutgoingHttpHeaders,
    agent: connections.agentOf(origin.protocol),
  });

  upstream.on('response', (incoming) => {
    const { statusCode = 502, statusMessage, rawHeaders } = incoming;
    connections.answered(upstream.socket, incoming);
    answer.sendDate = false;
    const given = headersOf(rawHeaders);
    const marks = target.isDemo ? ['x-skein-demo', 'true'] : [];
    answer.writeHead(statusCode, statusMessage, [...responseHeaders(rawHeaders, given), ...marks]);
    let hasBytes = false;
    // They go out together with the first bytes, or alone where those are not there yet.
    setImmediate(() => {
      if (!hasBytes && !answer.destroyed) answer.flushHeaders();
    });
    watch.head(statusCode, given);
    incoming.on('data', (bytes: Buffer) => {
      hasBytes = true;
      if (!answer.write(bytes)) incoming.pause();
      watch.push(bytes);
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

  upstream.on('error', (error: Error & { code?: string }) => {
    if (isOver) return;
    end(answer.headersSent ? 'cut' : 'failed', error);
    const message = `The proxy could not reach ${provider.id}: ${error.code ?? 'the connection failed'}.`;
    answerWith(answer, 502, 'application/json', providerError(provider.dialect, 502, 'provider_unreachable', message));
  });

  answer.on('close', () => {
    if (answer.writableFinished) return;
    end('cut', new Error('the client left'));
    upstream.destroy();
  });
  // Without a listener a client that leaves while it sends would end the process.
  client.on('error', () => upstream.destroy());

  if (body) {
    watch.request(body);
    upstream.end(body);
    watch.requestEnd();
    return;
  }
  client.on('data', (bytes: Buffer) => watch.request(bytes));
  client.on('end', () => watch.requestEnd());
  client.pipe(upstream);
}
