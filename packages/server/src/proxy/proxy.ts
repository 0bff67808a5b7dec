import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRecorder, createReplayer, readAddress } from '@skein/forest';
import type { Access } from '../http/access.ts';
import { Problem, problemBody, problemOf } from '../http/problem.ts';
import type { Services } from '../services.ts';
import { createConnections } from './connections.ts';
import { givenKeys, signingOf, withoutKey } from './credentials.ts';
import { decodeWhole, UndecodableError } from './decode.ts';
import { createStandIn } from './demo.ts';
import { headersOf, requestHeaders } from './headers.ts';
import type { ProxyOptions } from './options.ts';
import { passOn } from './pass-on.ts';
import { answerWith, providerError } from './provider-error.ts';
import { hasBody, readBody, sendResponse } from './replay.ts';
import { MAX_RECORDED_REQUEST, type TakeDownOptions, takeDown } from './take-down.ts';
import { createTally } from './tally.ts';
import { createTargets, type Target } from './target.ts';
import { noWatch } from './watch.ts';
import { type Wishes, wishesOf } from './wishes.ts';

/** The recording proxy. It moves bytes; what they mean is the forest's affair. */
export interface Proxy {
  handle(client: IncomingMessage, answer: ServerResponse): void;
  /** When everything that passed is stored. */
  settled(): Promise<void>;
  close(): void;
}

/** What is known of a request before it goes anywhere. */
interface Order {
  readonly target: Target;
  readonly wishes: Wishes;
  readonly headers: readonly string[];
  readonly toRecord: TakeDownOptions['request'];
}

export function createProxy(services: Services, access: Access, options: ProxyOptions = {}): Proxy {
  const { forest, config, providers, ownEnv: env, metrics, log, recordingTrouble } = services;
  const { useServerKeys = false } = options;
  const redact = config.redaction.beforeStoring ? services.redact : undefined;
  const onError = (error: unknown) => {
    recordingTrouble.report(error);
    metrics.count('skein_recording_failures_total');
    log.error('recording-failed', error);
  };
  const recorder = createRecorder(forest, { onError, hints: config.hints });
  const replayer = createReplayer(forest);
  const connections = createConnections();
  const targetOf = createTargets(providers, env);
  const standIn = createStandIn(services);
  const streams = createTally();
  const recordings = createTally();
  metrics.gauge('skein_proxy_streams', streams.count);

  const orderOf = (client: IncomingMessage): Order => {
    const given = headersOf(client.rawHeaders);
    const url = client.url ?? '';
    const keys = givenKeys(given, url);
    access.checkSource({
      host: client.headers.host,
      origin: client.headers.origin,
      fetchSite: given.get('sec-fetch-site'),
    });
    const asKey = useServerKeys ? [...keys.values()] : [];
    const token = access.checkToken([given.get('x-skein-token'), ...asKey], () => client.socket.remoteAddress);
    const wishes = wishesOf(given, options);
    const asked = targetOf(url);
    const own = signingOf(asked.provider, env, keys, { token, useServerKeys });
    const demo = own.hasKey ? undefined : standIn?.(url, asked.provider, keys, token);
    const { target: found, signing } = demo ?? { target: asked, signing: own };
    refuseLoop(found, client);
    const { provider, origin } = found;
    const target = signing.without.has('key') ? { ...found, path: withoutKey(found.path) } : found;
    const headers = [
      ...requestHeaders(client.rawHeaders, given, origin.host, signing.without),
      ...signing.headers,
      ...framing(client),
    ];
    const sent = headersOf(headers);
    // Known to the recorder so that it finds it in what it stores; it keeps only harmless headers.
    if (token !== undefined) sent.set('x-skein-token', token);
    return {
      target,
      wishes,
      headers,
      toRecord: {
        method: client.method ?? 'GET',
        url: `${origin.origin}${target.path}`,
        headers: sent,
        provider: provider.id,
        issuer: provider.issuer,
        tags: wishes.tags,
        ...(wishes.thread !== undefined && { thread: wishes.thread }),
      },
    };
  };

  const pass = (client: IncomingMessage, answer: ServerResponse, order: Order, body?: Uint8Array) => {
    const { target, wishes, headers, toRecord } = order;
    const isRecorded = wishes.mode !== 'pass' && readAddress(toRecord.method, pathOf(target)).kind !== 'other';
    const onUndecodable = () => metrics.count('skein_undecodable_total', { provider: target.provider.id });
    if (isRecorded) recordings.add();
    const watch = isRecorded
      ? takeDown({ recorder, request: toRecord, redact, onUndecodable, onError, onEnd: recordings.remove })
      : noWatch;
    streams.add();
    passOn({ client, answer, target, headers, body, watch, connections }, (outcome) => {
      streams.remove();
      metrics.count('skein_proxy_exchanges_total', { provider: target.provider.id, outcome });
    });
  };

  const replay = async (client: IncomingMessage, answer: ServerResponse, order: Order) => {
    const { target, wishes, toRecord } = order;
    const bytes = await readBody(client);
    // What has just been recorded counts.
    await recorder.stored();
    const decoded = decodedBody(toRecord.headers.get('content-encoding'), bytes);
    // Without its text nothing can be found for it.
    if (decoded === undefined && wishes.onMiss === 'pass') return pass(client, answer, order, bytes);
    if (decoded === undefined)
      throw new Problem(
        415,
        'undecodable',
        'The body cannot be decoded as its content-encoding says, so no recording can be found for it.',
      );
    const request = { ...toRecord, body: redact ? redact(decoded) : decoded };
    const found = await replayer.answer(request, { timing: wishes.timing }).catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
      return new Response(providerError(target.provider.dialect, 502, 'provider_unreachable', error.message), {
        status: 502,
        headers: { 'content-type': 'application/json', 'x-skein-replay': 'hit' },
      });
    });
    const outcome = found ? 'replayed' : 'missed';
    metrics.count('skein_proxy_exchanges_total', { provider: target.provider.id, outcome });
    if (!found && wishes.onMiss === 'pass') return pass(client, answer, order, hasBody(client) ? bytes : undefined);
    await sendResponse(answer, found ?? (await replayer.refuse(request)));
  };

  const refuse = (client: IncomingMessage, answer: ServerResponse, error: unknown) => {
    const problem = problemOf(error);
    // The path may hold a key in its query, so it is not logged.
    if (problem.status >= 500) log.error('proxy-failed', error, { method: client.method });
    metrics.count('skein_requests_total', { method: client.method ?? '', status: problem.status });
    answer.setHeader('connection', 'close');
    answerWith(answer, problem.status, 'application/problem+json', problemBody(problem));
  };

  return {
    handle(client, answer) {
      try {
        const order = orderOf(client);
        if (order.wishes.mode !== 'replay') return pass(client, answer, order);
        replay(client, answer, order).catch((error: unknown) => refuse(client, answer, error));
      } catch (error) {
        refuse(client, answer, error);
      }
    },
    async settled() {
      await streams.none();
      await recordings.none();
      await recorder.settled();
    },
    close() {
      connections.close();
    },
  };
}

function decodedBody(encoding: string | undefined, bytes: Uint8Array): string | undefined {
  try {
    return Buffer.from(decodeWhole(encoding, bytes, MAX_RECORDED_REQUEST)).toString();
  } catch (error) {
    if (error instanceof UndecodableError) return undefined;
    throw error;
  }
}

function pathOf({ path }: Target): string {
  return path.split('?')[0]!;
}

/** How the body's end is found: a length goes on as it is, pieces are cut anew on every connection. */
function framing({ headers, method = 'GET' }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const isEmpty = headers['content-length'] === undefined && /^(?:POST|PUT|PATCH)$/.test(method);
  return isEmpty ? ['Content-Length', '0'] : [];
}

/** The variables of the clients, set for the server, too, would make it ask itself for ever. */
function refuseLoop({ origin, path, provider }: Target, { socket }: IncomingMessage): void {
  if (!path.startsWith('/proxy/') || !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(origin.hostname)) return;
  if (Number(origin.port) !== socket.localPort) return;
  const variables = provider.connection?.baseUrlVariables.join(' or ') || 'its address';
  throw new Problem(
    508,
    'proxy_loop',
    `The address of ${provider.id} is this proxy itself: unset ${variables} for the server, and set it for clients only.`,
  );
}
