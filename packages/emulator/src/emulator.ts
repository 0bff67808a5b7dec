import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type Brain, echoBrain } from './brain.ts';
import { demoBrain } from './demo.ts';
import { parseJson } from './json.ts';
import { findOpaqueValues, type KnownValue } from './memory.ts';
import type { Protocol } from './protocol.ts';
import { checkReply, type ScriptedReply } from './reply.ts';
import type { Verdict } from './rules/verdict.ts';
import { type AnswerContext, send } from './server/answer.ts';
import type { AwsAccount } from './server/aws.ts';
import { defaultError } from './server/errors.ts';
import { deny, generate, type Outcome, type ReceivedRequest } from './server/generate.ts';
import { answerResource } from './server/resources.ts';
import { findRoute, type Route } from './server/route.ts';
import { openSocket } from './server/socket.ts';
import {
  createState,
  type EmulatorSettings,
  type EmulatorState,
  type HeaderMap,
  type Issuer,
  type LogEntry,
  type Sleep,
} from './server/state.ts';

/** The options of `startEmulator`; all are optional. */
export interface EmulatorOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** The only key that is accepted. Default: any key, but a request without one is refused. */
  readonly key?: string;
  /** The credentials with which requests to Bedrock must be signed, unless they carry a key. Default: any signature. */
  readonly aws?: AwsAccount;
  /** Answers requests for which no reply is queued. Default `echo`. */
  readonly brain?: 'echo' | 'demo' | Brain;
  /** Makes ids and signatures the same in every run; signatures then outlive the process. Default: random. */
  readonly seed?: string;
  readonly settings?: EmulatorSettings;
  /** Compatible providers by their path: `{ groq: { extra: ['reasoning_format'] } }` is served under `/groq`. */
  readonly issuers?: Readonly<Record<string, Issuer>>;
  /** The names in the list of models. Requests may name any other model, too. */
  readonly models?: readonly string[];
  /** Default 32 MiB. */
  readonly maxBodyBytes?: number;
  /** How many requests the log keeps; the oldest are dropped first. Default 1000. */
  readonly logLimit?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Called for every delay. Tests pass one that returns at once. */
  readonly sleep?: Sleep;
}

type Key = `${'OPENAI' | 'ANTHROPIC' | 'GEMINI' | 'COHERE'}_API_KEY` | 'AWS_BEARER_TOKEN_BEDROCK';
type Address = `${'OPENAI' | 'ANTHROPIC' | 'GOOGLE_GEMINI' | 'COHERE'}_BASE_URL` | 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME';

/** A running emulator. */
export interface Emulator {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Base URLs as the vendors' SDKs expect them. Each `issuer` is a separate deployment with its own memory. */
  baseUrl(protocol: Protocol, issuer?: string): string;
  /**
   * The environment variables from which the vendors' SDKs read address and key. With the brain `demo`, also the one from
   * which Skein learns that answers from this address come from no provider.
   */
  env(): Readonly<Record<Key | Address, string>> & { readonly SKEIN_DEMO_URL?: string };
  /** Queues replies. Each answers one accepted request; refused requests use up none. */
  script(protocol: Protocol, replies: ScriptedReply | readonly ScriptedReply[], issuer?: string): void;
  /** The requests so far, oldest first. */
  readonly log: readonly LogEntry[];
  /** May be changed at any time. */
  settings: EmulatorSettings;
  /** Makes the emulator recognise values that it did not issue. */
  register(protocol: Protocol, known: KnownValue | readonly KnownValue[], issuer?: string): void;
  /** Registers every opaque value of a request body: signatures, ciphertexts, stored ids. */
  trust(protocol: Protocol, body: string, issuer?: string): void;
  /** Clears scripts, log and memories. Signatures issued before are refused from then on. */
  reset(): void;
  close(): Promise<void>;
}

const defaultModels = [
  'gpt-5.5',
  'gpt-4o',
  'claude-opus-5-5',
  'claude-sonnet-4-5',
  'gemini-3-pro-preview',
  'gemini-2.5-flash',
];

const realSleep: Sleep = (milliseconds, signal) => wait(milliseconds, undefined, { signal });

const brains = { echo: echoBrain, demo: demoBrain };

/**
 * Starts an emulator on a local port.
 *
 * @example
 * const emulator = await startEmulator();
 * emulator.script('openai-chat', says('Hello!'));
 * const client = new OpenAI({ apiKey: 'any', baseURL: emulator.baseUrl('openai-chat') });
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { brain = 'echo', host = '127.0.0.1', port = 0 } = options;
  const configuration = {
    key: options.key,
    aws: options.aws,
    brain: typeof brain === 'string' ? brains[brain] : brain,
    seed: options.seed,
    now: options.now ?? Date.now,
    sleep: options.sleep ?? realSleep,
    issuers: options.issuers ?? {},
    models: options.models ?? defaultModels,
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1024 * 1024,
    logLimit: options.logLimit ?? 1000,
  };
  const state = createState(configuration, options.settings ?? {});
  const { server, close } = createListener(state);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  const list = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);
  const register = (protocol: Protocol, known: Iterable<KnownValue>, issuer = '') => {
    for (const one of known) state.memory(protocol, issuer).register(one);
  };
  const baseUrl = (protocol: Protocol, issuer = '') => {
    const base = issuer === '' ? url : `${url}/${issuer}`;
    // OpenAI's SDK expects the version in the base URL, the other two add it themselves.
    return protocol.startsWith('openai') ? `${base}/v1` : base;
  };
  return {
    url,
    baseUrl,
    env: () => ({
      OPENAI_API_KEY: options.key ?? 'sk-emulator',
      ANTHROPIC_API_KEY: options.key ?? 'sk-emulator',
      GEMINI_API_KEY: options.key ?? 'sk-emulator',
      OPENAI_BASE_URL: baseUrl('openai-chat'),
      ANTHROPIC_BASE_URL: baseUrl('anthropic-messages'),
      GOOGLE_GEMINI_BASE_URL: baseUrl('google-generatecontent'),
      AWS_BEARER_TOKEN_BEDROCK: options.key ?? 'sk-emulator',
      COHERE_API_KEY: options.key ?? 'sk-emulator',
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: baseUrl('bedrock-converse'),
      COHERE_BASE_URL: baseUrl('cohere-chat'),
      ...(brain === 'demo' && { SKEIN_DEMO_URL: url }),
    }),
    script(protocol, replies, issuer) {
      const queued = list(replies);
      for (const [index, reply] of queued.entries()) checkReply(reply, `replies[${index}]`);
      state.queue(protocol, queued, issuer);
    },
    log: state.log,
    get settings() {
      return state.settings;
    },
    set settings(settings) {
      state.settings = settings;
    },
    register: (protocol, known, issuer) => register(protocol, list(known), issuer),
    trust: (protocol, body, issuer) => register(protocol, findOpaqueValues(parseJson(body)), issuer),
    reset: () => state.reset(),
    close,
  };
}

/** The body; `undefined` when it is longer than the limit. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    // The rest is read and discarded: a client that is still sending would not see the answer.
    if (length <= limit) chunks.push(chunk as Buffer);
  }
  return length > limit ? undefined : Buffer.concat(chunks);
}

function readHeaders({ headers }: IncomingMessage, url: URL): HeaderMap {
  const plain = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : `${value}`,
  ]);
  const key = url.searchParams.get('key');
  // Google also accepts the key in the query.
  return Object.fromEntries(key === null ? plain : [['x-goog-api-key', key], ...plain]);
}

const requestId = (route: Route, body: Buffer, count: number): string => {
  const digest = createHash('sha256').update(body).update(`${count}`).digest('hex');
  return route.protocol === 'anthropic-messages' ? `req_011C${digest.slice(0, 20)}` : `req_${digest.slice(0, 32)}`;
};

async function judge(
  state: EmulatorState,
  route: Route,
  method: string,
  url: URL,
  received: ReceivedRequest,
  tooLarge: boolean,
): Promise<Outcome> {
  const { context } = received;
  try {
    if (tooLarge) return deny(context, { id: 'too-large', error: defaultError(context.protocol, sizeStatus(context)) });
    return route.kind === 'generate'
      ? await generate(state, route, received)
      : answerResource(state, route, method, url.pathname, received);
  } catch (error) {
    // A brain may throw, or its reply may be impossible to render: the client still gets an answer.
    const message = error instanceof Error ? error.message : String(error);
    return deny(context, { id: 'emulator-failed', error: { ...defaultError(context.protocol, 500), message } });
  }
}

const sizeStatus = ({ protocol }: AnswerContext): number => (protocol === 'google-generatecontent' ? 400 : 413);

async function handle(
  state: EmulatorState,
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const { configuration, log } = state;
  const left = new AbortController();
  response.once('close', () => left.abort());
  // A client that disconnects during the answer is not an error.
  response.on('error', () => left.abort());
  closing.addEventListener('abort', () => left.abort(), { once: true, signal: left.signal });
  const method = request.method ?? 'GET';
  const path = request.url ?? '/';
  const url = URL.canParse(path, 'http://emulator') ? new URL(path, 'http://emulator') : new URL('http://emulator');
  const read = await readBody(request, configuration.maxBodyBytes);
  const body = read ?? Buffer.alloc(0);
  const route = findRoute(method, url, request.headers);
  const headers = readHeaders(request, url);
  const at = configuration.now();
  const context: AnswerContext = {
    protocol: route.protocol,
    stream: route.kind === 'generate' ? route.stream : undefined,
    cloud: route.kind === 'generate' ? route.cloud : undefined,
    requestId: requestId(route, body, state.count()),
    now: at,
  };
  const received = { text: body.toString('utf8'), headers, context, method, path, bytes: body };
  const { verdict, answer, sent } = await judge(state, route, method, url, received, read === undefined);
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
  sent?.(entry.served.ended);
}

/** Only the Responses API is spoken over WebSockets. */
function upgrade(state: EmulatorState, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const path = request.url ?? '/';
  const url = URL.canParse(path, 'http://emulator') ? new URL(path, 'http://emulator') : new URL('http://emulator');
  // The path is that of the request for a response.
  const route = findRoute('POST', url, request.headers);
  if (route.kind !== 'generate' || route.protocol !== 'openai-responses') {
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    return;
  }
  const headers = readHeaders(request, url);
  const context = { state, route, headers, path, requestId: (body: Buffer) => requestId(route, body, state.count()) };
  openSocket(context, request, socket, head);
}

interface Listener {
  readonly server: Server;
  close(): Promise<void>;
}

function createListener(state: EmulatorState): Listener {
  const closing = new AbortController();
  const server = createServer((request, response) => {
    // The connection broke while the request was read, so there is nobody to answer.
    handle(state, request, response, closing.signal).catch(() => response.destroy());
  });
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    upgrade(state, request, socket, head);
  });
  return {
    server,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}
