/** HTTP: reads a request, has it answered, writes the log. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Verdict } from '../rules/verdict.ts';
import type { Headers } from './access.ts';
import type { Asked } from './answer.ts';
import { defaultError } from './errors.ts';
import { denied, generate, type Judged, type Received } from './generate.ts';
import type { LogEntry } from './log.ts';
import { resource } from './resources.ts';
import { type Route, routeOf } from './route.ts';
import { send } from './send.ts';
import type { World } from './world.ts';

/** The body, as far as it may go; `undefined` when it is longer. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    // The rest is read and thrown away, so that the client gets to see the answer.
    if (length <= limit) chunks.push(chunk as Buffer);
  }
  return length > limit ? undefined : Buffer.concat(chunks);
}

function headersOf({ headers }: IncomingMessage, url: URL): Headers {
  const plain = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : `${value}`,
  ]);
  const key = url.searchParams.get('key');
  // Google takes the key from the query, too.
  return Object.fromEntries(key === null ? plain : [['x-goog-api-key', key], ...plain]);
}

const requestId = (route: Route, body: Buffer, count: number): string => {
  const digest = createHash('sha256').update(body).update(`${count}`).digest('hex');
  return route.protocol === 'anthropic-messages' ? `req_011C${digest.slice(0, 20)}` : `req_${digest.slice(0, 32)}`;
};

async function judge(
  world: World,
  route: Route,
  method: string,
  url: URL,
  received: Received,
  tooLarge: boolean,
): Promise<Judged> {
  const { asked } = received;
  try {
    if (tooLarge) return denied(asked, { id: 'too-large', error: defaultError(asked.protocol, sizeStatus(asked)) });
    return route.kind === 'generate'
      ? await generate(world, route, received)
      : resource(world, route, method, url.pathname, received);
  } catch (error) {
    // A brain that throws, a reply that cannot be written: the client gets an answer all the same.
    const message = error instanceof Error ? error.message : String(error);
    return denied(asked, { id: 'emulator-failed', error: { ...defaultError(asked.protocol, 500), message } });
  }
}

const sizeStatus = ({ protocol }: Asked): number => (protocol === 'google-generatecontent' ? 400 : 413);

async function handle(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const { configuration, log } = world;
  const left = new AbortController();
  response.once('close', () => left.abort());
  // A client that goes away in the middle of an answer is no failure of ours.
  response.on('error', () => left.abort());
  closing.addEventListener('abort', () => left.abort(), { once: true, signal: left.signal });
  const method = request.method ?? 'GET';
  const path = request.url ?? '/';
  const url = URL.canParse(path, 'http://emulator') ? new URL(path, 'http://emulator') : new URL('http://emulator');
  const read = await readBody(request, configuration.maxBodyBytes);
  const body = read ?? Buffer.alloc(0);
  const route = routeOf(method, url, request.headers);
  const headers = headersOf(request, url);
  const at = configuration.now();
  const asked: Asked = {
    protocol: route.protocol,
    stream: route.kind === 'generate' ? route.stream : undefined,
    requestId: requestId(route, body, world.count()),
    now: at,
  };
  const received = { text: body.toString('utf8'), headers, asked };
  const { verdict, answer } = await judge(world, route, method, url, received, read === undefined);
  const entry: { -readonly [name in keyof LogEntry]: LogEntry[name] } = {
    at,
    method,
    path,
    headers,
    body,
    protocol: route.protocol,
    issuer: route.issuer,
    verdict: verdict satisfies Verdict,
    served: undefined,
  };
  log.push(entry);
  if (log.length > configuration.logLimit) log.shift();
  entry.served = await send(response, answer, configuration.sleep, left.signal);
}

export interface Listener {
  readonly server: Server;
  close(): Promise<void>;
}

export function createListener(world: World): Listener {
  const closing = new AbortController();
  const server = createServer((request, response) => {
    // Nothing more can be said on a connection that broke while its request was read.
    handle(world, request, response, closing.signal).catch(() => response.destroy());
  });
  return {
    server,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
