/** Skein over HTTP: the forest, live generations, a recording proxy and a gateway between protocols. */
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { type Agent, type Config, type ConfigProblem, findProvider, titleModel } from '@skein/agents';
import { type CostLookup, type Environment, providers, SkeinError, type Tool } from '@skein/core';
import {
  type BacklogOptions,
  createBacklog,
  createEngine,
  type Forest,
  type GenerateOptions,
  titleByModel,
} from '@skein/forest';
import { createApp } from './app.ts';
import { isForGateway } from './gateway/client/client-call.ts';
import { createGateway } from './gateway/gateway.ts';
import { createAccess, isLoopback } from './http/access.ts';
import { createMetrics, createRecordingTrouble, exchangeCount, type Log, silentLog } from './http/observability.ts';
import type { ProxyOptions } from './proxy/headers.ts';
import { createProxy } from './proxy/proxy.ts';
import { isProxied } from './proxy/upstream.ts';
import { createRedactor } from './redact.ts';
import { createGenerationResolver, type Services, usualModel } from './services.ts';

export type { Api } from './app.ts';

export { explainRoute } from './gateway/routes.ts';
export { isLoopback } from './http/access.ts';
export { createLog, type Log } from './http/observability.ts';
export { listenForMcp, type McpServerOptions, serveMcpOnStdio } from './mcp/listen.ts';
export { createMcpServer, type McpForestOptions, type QuestionHandler } from './mcp/mcp-server.ts';
export type { ProxyOptions } from './proxy/headers.ts';
export { createRedactor, type RedactionRules, type Redactor } from './redact.ts';
export { seedSample } from './sample/conversations.ts';

/** What a server works with: a forest and a configuration, and what replaces their defaults. */
export interface ServerOptions {
  readonly forest: Forest;
  readonly config: Config;
  /** The variables with the keys; default: those of the process. */
  readonly env?: Environment;
  readonly agents?: () => Promise<readonly Agent[]>;
  /** Tools that a request may name. */
  readonly tools?: readonly Tool[];
  /** The token that every client needs. Without one, only loopback is served. */
  readonly token?: string;
  /** Host names that the server answers to, besides those of the configuration. */
  readonly hosts?: readonly string[];
  /** Options of every generation: prices, limits of models, a fetch. */
  readonly generate?: Partial<GenerateOptions>;
  /** Prices what is stored without a cost, such as recordings. Default: `costOf` of `generate`. */
  readonly prices?: CostLookup;
  /** Takes precedence over the proxy's options in the configuration. */
  readonly proxy?: ProxyOptions;
  /** Where recordings wait while the store cannot be written. Without a folder, they wait in memory. */
  readonly waiting?: Pick<BacklogOptions, 'folder' | 'memory' | 'files'>;
  /**
   * How long a client may take to send its headers, and all of a request; and how long generations and streams may go on
   * when the server is told to close. In milliseconds.
   */
  readonly timeouts?: { readonly headers?: number; readonly request?: number; readonly grace?: number };
  readonly log?: Log;
  /**
   * Addresses and keys of a stand-in that answers for providers without a key, in the variables of the providers, such as
   * `emulator.env()`. Answers from the address in `SKEIN_DEMO_URL` are stored as those of the demo. Clients of the proxy are
   * answered by it only where they send no key and their provider has no configured address.
   */
  readonly demo?: Environment;
  /** Conversations to look at, apart from those of people: page and API are under `/samples`. */
  readonly samples?: Forest;
  /** Folder of the page's files, with `index.html`; without one there is only the API. */
  readonly page?: string;
  /** The model of requests that name none; default: the usual one of a provider with a key. */
  readonly model?: string;
  readonly version?: string;
  /** Problems of the configuration and of agent files, which the page shows. */
  readonly problems?: readonly ConfigProblem[];
}

/** A server that does not listen yet. */
export interface Server {
  /** Answers a request without a socket. */
  fetch(request: Request): Response | Promise<Response>;
  /** API, page, proxy and gateway, for a Node server of your own. */
  readonly handler: RequestListener;
  /** WebSockets of the proxy and the gateway, for the `upgrade` event of a Node server of your own. */
  upgrade(client: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Port 0 takes any free port. */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<ListeningServer>;
  /**
   * For a server of your own that has stopped listening: lets generations and exchanges end for a while, then parks or
   * cuts them. Resolves when all of it is stored.
   */
  close(): Promise<void>;
}

/** A server that listens at an address. */
export interface ListeningServer {
  readonly url: string;
  /** Takes no more requests, lets what runs end for a while, then parks generations, cuts streams, and closes. */
  close(): Promise<void>;
}

const GRACE_MS = 2000;
/**
 * How long a connection without requests stays open: longer than clients and load balancers keep theirs, usually 60 seconds.
 * Node's five seconds let a busy client use a connection that the server is just closing.
 */
const IDLE_MS = 75_000;

/** Connections stay open this long after generations were parked, so that followers hear of their end. */
const LAST_WORDS_MS = 500;

/** After this time, what a broken store has not accepted is given up. */
const SETTLE_MS = 5000;

/** A server cannot be started as it is asked for. */
class ServerOptionsError extends SkeinError {
  override readonly name = 'ServerOptionsError';
  readonly code = 'invalid_configuration';
}

/**
 * Skein over HTTP, to be embedded or to be run.
 *
 * @example
 * const { config } = await loadConfig();
 * const server = await createServer({ forest, config }).listen({ port: 0 });
 * console.log(server.url);
 */
export function createServer(options: ServerOptions): Server {
  const { token, config, timeouts } = options;
  if (token === '')
    throw new ServerOptionsError('The token is empty, so everyone would have it: give a longer one, or none.');
  const closing = new AbortController();
  const grace = timeouts?.grace ?? GRACE_MS;
  const services = createServices(options, closing.signal);
  const { waiting: _, ...ofSamples } = options;
  const samples = options.samples && createServices({ ...ofSamples, forest: options.samples }, closing.signal);
  const access = createAccess({ token, hosts: [...config.server.hosts, ...(options.hosts ?? [])] });
  const app = createApp(services, access, options.page, samples && createApp(samples, access, options.page));
  const titling = services.costOf && !options.demo && titleModel(config, services.env, services.costOf);
  const stopTitles = titling ? startTitling(services, titling) : () => undefined;
  const proxy = createProxy(services, access, { ...config.proxy, ...options.proxy });
  const gateway = createGateway(services, access, proxy, { ...config.proxy, ...options.proxy });
  const answerApi = getRequestListener(app.fetch);
  const handler: RequestListener = (incoming, outgoing) => {
    // A whole address, as for a forward proxy, would bring a host of its own.
    if (!incoming.url?.startsWith('/')) outgoing.writeHead(400, { connection: 'close' }).end();
    else if (isProxied(incoming.url)) proxy.handle(incoming, outgoing);
    else if (isForGateway(incoming.url)) gateway.handle(incoming, outgoing);
    else void answerApi(incoming, outgoing);
  };
  const sockets = new Set<Duplex>();
  const upgrade: Server['upgrade'] = (client, socket, head) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (isProxied(client.url)) proxy.upgrade({ client, socket, head });
    else if (isForGateway(client.url)) gateway.upgrade({ client, socket, head });
    else socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  };
  const park = () => {
    closing.abort();
    stopTitles();
    const engines = [services, samples].flatMap((one) => (one ? [one.engine] : []));
    return Promise.all(engines.map((engine) => within(grace + SETTLE_MS, engine.park(grace))));
  };
  const settle = async () => {
    await within(grace + SETTLE_MS, gateway.settled());
    await within(grace + SETTLE_MS, proxy.settled());
    gateway.close();
    proxy.close();
    await services.backlog.close();
    await samples?.backlog.close();
  };
  return {
    fetch: (request) => app.fetch(request),
    handler,
    upgrade,
    async close() {
      await park();
      for (const socket of sockets) socket.destroy();
      await settle();
    },
    async listen({ port = 4141, host = '127.0.0.1' } = {}) {
      if (token === undefined && !isLoopback(host))
        throw new ServerOptionsError(`A server at ${host} can be reached from elsewhere: give createServer a token.`);
      return new Promise((resolve, reject) => {
        const server = createHttpServer(
          {
            headersTimeout: timeouts?.headers ?? 20_000,
            requestTimeout: timeouts?.request ?? 300_000,
            keepAliveTimeout: IDLE_MS,
            connectionsCheckingInterval: 1000,
          },
          handler,
        );
        server.on('upgrade', upgrade);
        server.once('error', reject);
        server.listen(port, host, () => {
          const { port: actual } = server.address() as AddressInfo;
          const name = host.includes(':') ? `[${host}]` : host;
          const close = async () => {
            const parked = park();
            const told = parked.then(() => sleep(LAST_WORDS_MS));
            await closeServer(server, Promise.all([sleep(grace), told]));
            await parked;
            for (const socket of sockets) socket.destroy();
            await settle();
          };
          resolve({ url: `http://${name}:${actual}`, close });
        });
      });
    },
  };
}

function createServices(options: ServerOptions, closing: AbortSignal): Services {
  const { forest, config, agents = async () => [], tools = [], log = silentLog, demo } = options;
  const ownEnv = options.env ?? process.env;
  const env = { ...ownEnv, ...demo };
  const engine = createEngine(forest, { env, ...options.generate });
  const configuredModel = config.model ?? options.model ?? usualModel(env);
  const defaultModel = async () => (await forest.library.model()) ?? configuredModel;
  const ids = new Set([...providers().map(({ id }) => id), ...Object.keys(config.providers)]);
  const metrics = createMetrics();
  const recordingTrouble = createRecordingTrouble();
  const onRecordingLost = (error: unknown) => {
    recordingTrouble.report(error);
    metrics.count('skein_recording_failures_total', {}, exchangeCount(error));
    log.error('recording-failed', error);
  };
  const backlog = createBacklog(forest, {
    ...options.waiting,
    onError: onRecordingLost,
    onChange({ exchanges, folder, reason }) {
      const facts = { exchanges: exchanges.length, ...(folder !== undefined && { folder }) };
      if (exchanges.length > 0 || folder !== undefined) log.error('recordings-wait', reason, facts);
      else log.info('recordings-wait-over');
    },
  });
  metrics.gauge('skein_recordings_waiting', () => backlog.state().exchanges.length);
  metrics.gauge('skein_recordings_waiting_bytes', () => backlog.state().bytes);
  return {
    forest,
    config,
    env,
    ownEnv,
    agents,
    tools,
    log,
    engine,
    providers: [...ids].map((id) => findProvider(id, config.providers)),
    generating: createGenerationResolver(config, { agents, tools, defaultModel, engine, env: ownEnv }),
    redact: createRedactor(config.redaction),
    isRedacting: config.redaction.patterns.length + config.redaction.fields.length > 0,
    costOf: options.prices ?? options.generate?.costOf,
    metrics,
    backlog,
    recordingTrouble,
    onRecordingLost,
    closing,
    demo,
    hasSamples: options.samples !== undefined && options.samples !== forest,
    defaultModel,
    version: options.version ?? '0.1.0',
    problems: options.problems ?? [],
  };
}

/** `patience` is how long connections may stay open. */
async function closeServer(server: HttpServer, patience: Promise<unknown>): Promise<void> {
  void patience.then(() => server.closeAllConnections());
  await new Promise<void>((done) => {
    server.close(() => done());
    server.closeIdleConnections();
  });
}

/** Keeps no process alive. */
function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms).unref());
}

/** Waits for the work, but no longer. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** How many of the threads that were changed last are looked at. */
const LOOKED_AT = 50;
/** Changes within this many milliseconds are handled together. */
const PATIENCE_MS = 500;

/**
 * Has a model title the conversations that begin from now on, whoever has them, one after the other and each once. A failure is logged, and the title
 * that its words gave stays. Gives back how to stop.
 */
function startTitling(
  { forest, engine, log, closing }: Pick<Services, 'engine' | 'log' | 'closing'> & { readonly forest: Forest },
  model: GenerateOptions['model'],
  patience = PATIENCE_MS,
): () => void {
  const since = forest.clock.now();
  const done = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  const look = async () => {
    timer = undefined;
    if (isLooking || closing.aborted) return;
    isLooking = true;
    try {
      const { items } = await forest.threads.list({ limit: LOOKED_AT });
      for (const { id, createdAt, part } of items) {
        if (closing.aborted || createdAt < since || part !== 'main' || done.has(id)) continue;
        if (!(await hasAnswer(forest, id))) continue;
        done.add(id);
        await titleByModel(forest, engine, { thread: id, model }).catch((error: unknown) =>
          log.error('title-failed', error, { thread: id }),
        );
      }
    } catch (error) {
      log.error('title-failed', error);
    } finally {
      isLooking = false;
    }
  };
  const wait = () => {
    timer ??= setTimeout(() => void look(), patience).unref();
  };
  const unwatch = forest.watch(wait);
  return () => {
    unwatch();
    clearTimeout(timer);
  };
}

async function hasAnswer(forest: Forest, thread: string): Promise<boolean> {
  const path = await forest.path((await forest.threads.get(thread)).head);
  return path.some(({ role, message }) => role === 'assistant' && message.text.trim() !== '');
}
