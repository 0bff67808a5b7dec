import type { IncomingMessage, ServerResponse } from 'node:http';
import { dialect, findSigner, isSkeinError, resolveKey } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { createRecorder, createReplayer, type GatewayUse, readAddress } from '@skein/forest';
import type { Access } from '../http/access.ts';
import { Problem, problemBody, toProblem } from '../http/problem.ts';
import type { Services } from '../services.ts';
import { createConnections, forward } from './forward.ts';
import { type ClientHeaders, type ProxyOptions, readClientHeaders, requestHeaders, toHeaderMap } from './headers.ts';
import { createRecordingTap, noTap, type RecordingTapOptions } from './recording-tap.ts';
import { decodeBody, readBody } from './request-body.ts';
import { answerWith, providerError, sendResponse } from './respond.ts';
import { refuseUpgrade, relaySocket, replaySocket, type UpgradeRequest } from './socket.ts';
import { createSocketRecording } from './socket-recording.ts';
import {
  chooseCredentials,
  createDemoUpstreams,
  createUpstreams,
  planSigning,
  readKeys,
  type Signing,
  type Upstream,
  withoutKey,
} from './upstream.ts';

/**
 * The recording proxy: it forwards requests to providers byte for byte, and records or replays the exchanges. What the
 * bytes mean is up to the forest and to the dialects.
 */
export interface Proxy {
  handle(client: IncomingMessage, answer: ServerResponse, readAlready?: ReadRequest): void;
  /** Opens a WebSocket to the provider, or answers from recordings. */
  upgrade(request: UpgradeRequest): void;
  /** Resolves when every exchange that has passed is stored. */
  settled(): Promise<void>;
  /** Closes the connections to providers. */
  close(): void;
}

/** A request that was read before the proxy got it. */
interface ReadRequest {
  /** The address below `/proxy/`. */
  readonly url: string;
  readonly body: Uint8Array | undefined;
  /** Whether the server's keys may be used, whatever the proxy's options say. */
  readonly useServerKeys: boolean;
  /** The token that the client was let in by; the proxy does not ask for another. */
  readonly token: string | undefined;
  /** For the recording. */
  readonly gateway: GatewayUse;
}

/** Where a request goes and how it is recorded; decided before anything is sent. */
interface PlannedExchange {
  readonly upstream: Upstream;
  readonly asked: ClientHeaders;
  readonly headers: readonly string[];
  readonly toRecord: RecordingTapOptions['request'];
  /** Set if the server signs the request, or would have to. */
  readonly signing: Signing | undefined;
}

export function createProxy(services: Services, access: Access, options: ProxyOptions = {}): Proxy {
  const { forest, config, providers, ownEnv: env, metrics, log, backlog, onRecordingLost: onError } = services;
  const redact = config.redaction.beforeStoring ? services.redact : undefined;
  const recorder = createRecorder(forest, { onError, hints: config.hints, backlog });
  const replayer = createReplayer(forest, options.replayer);
  const connections = createConnections();
  const findUpstream = createUpstreams(providers, env);
  const findDemo = createDemoUpstreams(services);
  const streams = createActiveCount();
  const recordings = createActiveCount();
  metrics.gauge('skein_proxy_streams', streams.count);

  const planExchange = (client: IncomingMessage, readAlready?: ReadRequest): PlannedExchange => {
    const given = toHeaderMap(client.rawHeaders);
    const url = readAlready?.url ?? client.url ?? '';
    const useServerKeys = readAlready?.useServerKeys ?? options.useServerKeys ?? false;
    const keys = readKeys(given, url);
    access.checkSource({
      host: client.headers.host,
      origin: client.headers.origin,
      fetchSite: given.get('sec-fetch-site'),
    });
    const asKey = useServerKeys ? [...keys.values()] : [];
    const token = readAlready
      ? readAlready.token
      : access.checkToken([given.get('x-skein-token'), ...asKey], () => client.socket.remoteAddress);
    const asked = readClientHeaders(given, options);
    const named = findUpstream(url);
    const own = chooseCredentials(named.provider, env, keys, { token, useServerKeys });
    const demo = own.hasKey ? undefined : findDemo?.(url, named.provider, keys, token);
    const { upstream: found, credentials } = demo ?? { upstream: named, credentials: own };
    refuseLoop(found, client);
    const { provider, origin } = found;
    const signing = demo ? undefined : planSigning(provider, env, keys, { useServerKeys });
    const unsigned = signing && 'without' in signing ? signing.without : [];
    const upstream = credentials.without.has('key') ? { ...found, path: withoutKey(found.path) } : found;
    const headers = [
      ...requestHeaders(client.rawHeaders, given, origin.host, new Set([...credentials.without, ...unsigned])),
      ...credentials.headers,
      ...bodyFraming(client),
    ];
    const sent = toHeaderMap(headers);
    // The recorder must know the token to take it out of what it stores; it keeps only harmless headers.
    if (token !== undefined) sent.set('x-skein-token', token);
    return {
      upstream,
      asked,
      headers,
      signing,
      toRecord: {
        method: client.method ?? 'GET',
        url: `${origin.origin}${upstream.path}`,
        headers: sent,
        provider: provider.id,
        issuer: provider.issuer,
        tags: asked.tags,
        ...(asked.thread !== undefined && { thread: asked.thread }),
        ...(readAlready && { gateway: readAlready.gateway }),
      },
    };
  };

  const pass = (client: IncomingMessage, answer: ServerResponse, planned: PlannedExchange, body?: Uint8Array) => {
    const { upstream, asked, headers, toRecord } = planned;
    const { kind } = readAddress(toRecord.method, withoutQuery(upstream), upstream.provider.id);
    const isRecorded = asked.mode !== 'pass' && kind !== 'other';
    const onUndecodable = () => metrics.count('skein_undecodable_total', { provider: upstream.provider.id });
    if (isRecorded) recordings.add();
    const { framing = dialect(upstream.provider.dialect).framing } = upstream.provider;
    const tap = isRecorded
      ? createRecordingTap({
          ...{ recorder, request: toRecord, redact, framing, onUndecodable, onError },
          onEnd: recordings.remove,
        })
      : noTap;
    streams.add();
    forward({ client, answer, upstream, headers, body, tap, connections }, (outcome) => {
      streams.remove();
      metrics.count('skein_proxy_exchanges_total', { provider: upstream.provider.id, outcome });
    });
  };

  /** Reads the body, because the signature covers it, and signs with the server's credentials. */
  const sign = async (client: IncomingMessage, answer: ServerResponse, planned: PlannedExchange, signing: Signing) => {
    const { upstream, headers, toRecord } = planned;
    const { provider, origin, path } = upstream;
    const refuse = (message: string) =>
      answerWith(answer, 403, 'application/json', providerError(provider.dialect, 403, 'signature_refused', message));
    if ('refusal' in signing) {
      client.resume();
      refuse(signing.refusal);
      return;
    }
    const bytes = await readBody(client);
    const key = resolveKey(provider, { env });
    const { auth = [], signer = '' } = provider.connection ?? {};
    const kept = Object.fromEntries([...toHeaderMap(headers)].filter(([name]) => name === 'content-type'));
    const request = {
      method: toRecord.method,
      url: `${origin.origin}${path}`,
      headers: kept,
      body: bytes.toString(),
      env,
    };
    const added =
      key === undefined
        ? Object.entries(await findSigner(signer)(request)).flat()
        : auth.flatMap(({ header, value }) => [header, value.replaceAll('{key}', key)]);
    const length = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'transfer-encoding');
    const framed =
      length < 0
        ? headers
        : [...headers.slice(0, length), 'Content-Length', `${bytes.length}`, ...headers.slice(length + 2)];
    pass(
      client,
      answer,
      {
        ...planned,
        upstream: { ...upstream, isSigned: true },
        headers: [...framed, ...added],
        toRecord: { ...toRecord, notes: ['The proxy signed this request with the credentials of the server.'] },
      },
      bytes,
    );
  };

  /** Sends a request on to the gateway of this server, which answers by its routes and records the answer. */
  const route = (client: IncomingMessage, answer: ServerResponse, { upstream }: PlannedExchange, body: Uint8Array) => {
    const { localAddress = '', localPort } = client.socket;
    const origin = new URL(`http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`);
    const path = `/gateway/${(client.url ?? '').slice('/proxy/'.length)}`;
    const given = toHeaderMap(client.rawHeaders);
    const passed = requestHeaders(client.rawHeaders, given, origin.host, new Set());
    // The gateway replays as the proxy does unless a request says otherwise.
    const headers = [...passed, ...bodyFraming(client), 'x-skein-mode', 'record'];
    const own = { ...upstream, origin, path };
    streams.add();
    forward({ client, answer, upstream: own, headers, body, tap: noTap, connections }, (outcome) => {
      streams.remove();
      metrics.count('skein_proxy_exchanges_total', { provider: upstream.provider.id, outcome });
    });
  };

  const replay = async (
    client: IncomingMessage,
    answer: ServerResponse,
    planned: PlannedExchange,
    readAlready: Uint8Array | undefined,
  ) => {
    const { upstream, asked, toRecord } = planned;
    const bytes = readAlready ?? (await readBody(client));
    // What has just been recorded can be replayed, too.
    await recorder.stored();
    const decoded = decodeBody(toRecord.headers.get('content-encoding'), bytes);
    // A recording is found by the request's text.
    if (decoded === undefined && asked.onMiss === 'pass') return pass(client, answer, planned, bytes);
    if (decoded === undefined)
      throw new Problem(
        'undecodable',
        'The body cannot be decoded as its content-encoding says, so no recording can be found for it.',
      );
    const request = { ...toRecord, body: redact ? redact(decoded) : decoded };
    const found = await replayer.answer(request, { timing: asked.timing }).catch((error: unknown) => {
      if (!isSkeinError(error, 'connection')) throw error;
      return new Response(providerError(upstream.provider.dialect, 502, 'provider_unreachable', error.message), {
        status: 502,
        headers: { 'content-type': 'application/json', 'x-skein-replay': 'hit' },
      });
    });
    const outcome = found ? 'replayed' : 'missed';
    metrics.count('skein_proxy_exchanges_total', { provider: upstream.provider.id, outcome });
    if (!found && asked.onMiss === 'route') return route(client, answer, planned, bytes);
    if (!found && asked.onMiss === 'pass') return pass(client, answer, planned, hasBody(client) ? bytes : undefined);
    await sendResponse(answer, found ?? (await replayer.refuse(request)));
  };

  const openSocket = async (request: UpgradeRequest) => {
    const { upstream, asked, headers, toRecord } = planExchange(request.client);
    // The requests on the connection are those of the same path over HTTP.
    const one = { ...toRecord, method: 'POST' };
    const { kind, dialect: spoken } = readAddress(one.method, withoutQuery(upstream), upstream.provider.id);
    const protocol = kind === 'generate' && spoken !== undefined ? await dialect(spoken).socket?.() : undefined;
    if (asked.mode === 'replay') {
      if (!protocol)
        throw new Problem('bad_path', 'No WebSocket is recorded at this path, so none can be replayed.', {
          status: 404,
        });
      await recorder.stored();
      return replaySocket(request, protocol, async (message) => {
        const toFind = { ...one, body: redact ? redact(message) : message };
        const found = await replayer.answer(toFind, { timing: asked.timing });
        const outcome = found ? 'replayed' : 'missed';
        metrics.count('skein_proxy_exchanges_total', { provider: upstream.provider.id, outcome });
        return found ?? replayer.refuse(toFind);
      });
    }
    const onUndecodable = () => metrics.count('skein_undecodable_total', { provider: upstream.provider.id });
    const createTap = () => {
      recordings.add();
      return createRecordingTap({ recorder, request: one, redact, onUndecodable, onError, onEnd: recordings.remove });
    };
    const recording =
      protocol && asked.mode === 'record'
        ? createSocketRecording(protocol, serving(dialect(spoken!)), createTap)
        : undefined;
    streams.add();
    relaySocket({ ...request, upstream, headers, recording, onUnreadable: onUndecodable }, (outcome) => {
      streams.remove();
      metrics.count('skein_proxy_exchanges_total', { provider: upstream.provider.id, outcome });
    });
  };

  const refuse = (client: IncomingMessage, answer: ServerResponse, error: unknown) => {
    const problem = toProblem(error);
    // The path is not logged: its query may hold a key.
    if (problem.status >= 500) log.error('proxy-failed', error, { method: client.method });
    metrics.count('skein_requests_total', { method: client.method ?? '', status: problem.status });
    answer.setHeader('connection', 'close');
    answerWith(answer, problem.status, 'application/problem+json', problemBody(problem));
  };

  return {
    handle(client, answer, readAlready) {
      try {
        const planned = planExchange(client, readAlready);
        const { signing } = planned;
        if (planned.asked.mode !== 'replay' && signing) {
          sign(client, answer, planned, signing).catch((error: unknown) => refuse(client, answer, error));
          return;
        }
        if (planned.asked.mode !== 'replay') return pass(client, answer, planned, readAlready?.body);
        replay(client, answer, planned, readAlready?.body).catch((error: unknown) => refuse(client, answer, error));
      } catch (error) {
        refuse(client, answer, error);
      }
    },
    upgrade(request) {
      openSocket(request).catch((error: unknown) => {
        const problem = toProblem(error);
        if (problem.status >= 500) log.error('proxy-failed', error, { method: 'UPGRADE' });
        refuseUpgrade(request.socket, problem.status, JSON.stringify(problemBody(problem)));
      });
    },
    async settled() {
      await streams.none();
      await recordings.none();
      await recorder.settled();
    },
    close: connections.close,
  };
}

/** The variables of the clients, when they are set for the server as well, would make it ask itself for ever. */
function refuseLoop({ origin, path, provider }: Upstream, { socket }: IncomingMessage): void {
  if (!path.startsWith('/proxy/') || !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(origin.hostname)) return;
  if (Number(origin.port) !== socket.localPort) return;
  const variables = provider.connection?.baseUrlVariables.join(' or ') || 'its address';
  throw new Problem(
    'proxy_loop',
    `The address of ${provider.id} is this proxy itself: unset ${variables} for the server, and set it for clients only.`,
  );
}

/** How the provider finds the end of the body: a length is passed on, chunks are cut anew on every connection. */
function bodyFraming({ headers, method = 'GET' }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const isEmpty = headers['content-length'] === undefined && /^(?:POST|PUT|PATCH)$/.test(method);
  return isEmpty ? ['Content-Length', '0'] : [];
}

function withoutQuery({ path }: Upstream): string {
  return path.split('?')[0]!;
}

/** Whether a request says that it has a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Counts what is under way. */
interface ActiveCount {
  readonly add: () => void;
  readonly remove: () => void;
  readonly count: () => number;
  /** Resolves when nothing is under way. */
  readonly none: () => Promise<void>;
}

export function createActiveCount(): ActiveCount {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    add: () => {
      count++;
    },
    remove: () => {
      count--;
      if (count > 0) return;
      for (const wake of waiting) wake();
      waiting = [];
    },
    count: () => count,
    none: () =>
      count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
  };
}
