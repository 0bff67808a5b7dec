import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Dialect, find, type Loss, type Message, ProviderError, splice } from '@skein/core';
import type { LossNote, ServedError } from '@skein/core/dialect';
import { createRecorder, createReplayer } from '@skein/forest';
import type { Access } from '../http/access.ts';
import { Problem, toProblem } from '../http/problem.ts';
import { type ClientHeaders, type ProxyOptions, readClientHeaders, toHeaderMap } from '../proxy/headers.ts';
import { createActiveCount, decodeBody, type Proxy as RecordingProxy, readBody } from '../proxy/proxy.ts';
import { answerWith, sendResponse } from '../proxy/respond.ts';
import { refuseUpgrade, type UpgradeRequest } from '../proxy/socket.ts';
import { readKeys } from '../proxy/upstream.ts';
import type { Services } from '../services.ts';
import { adaptRequest } from './adapt-request.ts';
import { type AnswerSource, answerStream, answerWhole, httpSink, responseIdFor } from './answer.ts';
import { type ClientCall, readClientAddress, type Target, withBody } from './client-call.ts';
import { askCopies, joinCopies, keepCopy } from './copies.ts';
import { type AskOptions, ask, type OutgoingRequest, type UpstreamAnswer } from './exchange.ts';
import { createGatewayRecording, noRecording } from './recording.ts';
import { hasReference, loadReferences, type References } from './references.ts';
import { createRestorer, GATEWAY_ISSUER, type Restorer } from './restore.ts';
import { findRoute } from './routes.ts';
import { cutAtStops } from './stop-cut.ts';

/**
 * Answers clients of any protocol from any provider: it reads a request in the client's protocol, asks the provider that
 * its model names, and writes the answer in the client's protocol.
 */
export interface Gateway {
  handle(client: IncomingMessage, answer: ServerResponse): void;
  upgrade(request: UpgradeRequest): void;
  /** Resolves when every exchange that has passed is stored. */
  settled(): Promise<void>;
}

/** A call with what its connection tells: who asks, with which keys, and what is asked of the gateway itself. */
interface ReceivedCall {
  readonly call: ClientCall;
  readonly url: string;
  readonly asked: ClientHeaders;
  /** The client's own key, where it brought one. */
  readonly key: string | undefined;
  readonly token: string | undefined;
}

/** What the gateway finds earlier replies with. */
interface Memory {
  readonly references: References;
  readonly restorer: Restorer;
}

export function createGateway(
  services: Services,
  access: Access,
  proxy: RecordingProxy,
  options: ProxyOptions = {},
): Gateway {
  const { forest, config, log, metrics, recordingTrouble } = services;
  const streams = createActiveCount();
  const onError = (error: unknown) => {
    recordingTrouble.report(error);
    metrics.count('skein_recording_failures_total');
    log.error('recording-failed', error);
  };
  const recorder = createRecorder(forest, { onError, hints: config.hints });
  const replayer = createReplayer(forest);
  const redact = config.redaction.beforeStoring ? services.redact : undefined;
  let memory: Promise<Memory> | undefined;
  const loadMemory = async (): Promise<Memory> => {
    const references = await loadReferences(forest);
    return { references, restorer: createRestorer(forest, references) };
  };
  const remember = () => {
    memory ??= loadMemory().catch((error: unknown) => {
      memory = undefined;
      throw error;
    });
    return memory;
  };

  const serve = async (client: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const headers = toHeaderMap(client.rawHeaders);
    const url = client.url ?? '';
    const keys = [...readKeys(headers, url).values()];
    access.checkSource({
      host: client.headers.host,
      origin: client.headers.origin,
      fetchSite: headers.get('sec-fetch-site'),
    });
    const token = access.checkToken([headers.get('x-skein-token'), ...keys], () => client.socket.remoteAddress);
    const address = readClientAddress(client.method ?? 'GET', url, headers);
    if (!address)
      throw new Problem(
        'no_such_route',
        'The gateway serves clients at /gateway/openai/v1, /gateway/anthropic and /gateway/google.',
      );
    const bytes = await readBody(client);
    const call = withBody(address, decodeBody(headers.get('content-encoding'), bytes) ?? '');
    try {
      const asked = readClientHeaders(headers, options);
      const key = keys.find((one) => one !== NO_KEY && one !== token);
      const received: ReceivedCall = { call, url: `http://${client.headers.host}${url}`, asked, key, token };
      const route = findRoute(call, config.gateway, services);
      if (call.operation !== 'ask' || route.kind === 'pass')
        return proxy.handle(client, answer, {
          url: `/proxy/${call.api.vendor}${call.path}${call.query && `?${call.query}`}`,
          body: bytes.length > 0 ? bytes : undefined,
          useServerKeys: true,
        });
      if (route.kind === 'unknown')
        throw new Problem('bad_model', `There is no model ${route.model}.`, { status: 404 });
      if (asked.mode === 'replay' && (await replay(received, answer))) return;
      await translate(received, route.targets, answer);
    } catch (error) {
      if (answer.destroyed) return;
      const { status, ...served } = describeError(error);
      answerWith(answer, status, 'application/json', JSON.stringify(call.server.errorBody({ status, ...served })));
    }
  };

  /** Answers from a recording; false where there is none and the request goes on to the provider. */
  const replay = async ({ call, url, asked }: ReceivedCall, answer: ServerResponse): Promise<boolean> => {
    await recorder.stored();
    const body = call.body ?? '';
    const request = { method: call.method, url, headers: call.headers, body: redact ? redact(body) : body };
    const found = await replayer.answer(request, { timing: asked.timing });
    if (!found && asked.onMiss === 'pass') return false;
    await sendResponse(answer, found ?? (await replayer.refuse(request)));
    return true;
  };

  const translate = async (
    received: ReceivedCall,
    targets: readonly Target[],
    answer: ServerResponse,
  ): Promise<void> => {
    const { call, asked } = received;
    const { references, restorer } = await remember();
    const isRecorded = asked.mode !== 'pass';
    const recording = isRecorded
      ? createGatewayRecording({ recorder, redact, onError, received, targets })
      : noRecording(forest.clock.tick());
    const leaving = new AbortController();
    answer.once('close', () => {
      if (!answer.writableFinished) leaving.abort(new DOMException('the client left', 'AbortError'));
    });
    try {
      const options: AskOptions = {
        targets,
        prepare: (target, dialect) => prepare(call, target, dialect, restorer, asked.thread ?? ''),
        isStream: call.isStream,
        isStrict: /^(?:true|1)$/i.test(call.headers.get('x-skein-strict') ?? ''),
        env: services.env,
        keyFor: ({ provider }) => (isOwnVendor(call, provider.issuer) ? received.key : undefined),
        signal: leaving.signal,
        tap: recording.tap,
      };
      const upstream = await ask(options);
      const { copies = 1, served } = upstream.request;
      const others = await askCopies(copies - 1, { ...options, targets: [upstream.target] }, () =>
        isRecorded
          ? createGatewayRecording({ recorder, redact, onError, received, targets })
          : noRecording(forest.clock.tick()),
      );
      const isOwn = upstream.dialect.id === call.dialect.id;
      const head = {
        id: responseIdFor(call, recording.id),
        model: call.model ?? '',
        created: Math.floor(Date.now() / 1000),
        request: call.request,
        ...(served && { tools: served }),
        ...(!isOwn && isRecorded && { reference: (block: number) => references.mint(recording.id, block) }),
      };
      const source = joinCopies([answerOf(upstream), ...others.map((one) => answerOf(one.upstream))]);
      const headers = skeinHeaders(upstream, recording.id);
      recording.head(200, headers, call.isStream);
      await (call.isStream ? answerStream : answerWhole)(call, head, source, httpSink(answer), {
        beforeEnd: (reply, last, losses) => recording.keep(call, upstream, { reply, last, losses }, restorer),
        onText: recording.text,
        describe: describeError,
        headers,
      });
      recording.end('done');
      for (const one of others) await keepCopy(call, one, restorer);
    } catch (error) {
      recording.fail(error, describeError(error));
      throw error;
    }
  };

  const refuse = (answer: ServerResponse, error: unknown) => {
    const problem = toProblem(error);
    if (problem.status >= 500) log.error('gateway-failed', error);
    metrics.count('skein_requests_total', { method: 'GATEWAY', status: problem.status });
    answer.setHeader('connection', 'close');
    answerWith(answer, problem.status, 'application/json', JSON.stringify({ error: { message: problem.message } }));
  };

  return {
    handle(client, answer) {
      streams.add();
      serve(client, answer)
        .catch((error: unknown) => refuse(answer, error))
        .finally(streams.remove);
    },
    upgrade({ socket }) {
      refuseUpgrade(socket, 426, JSON.stringify({ error: { message: 'Use HTTP.' } }));
    },
    async settled() {
      await streams.none();
      await recorder.settled();
    },
  };
}

/** The answer of an upstream, as far as the client wants it. */
function answerOf({ dialect, events, reply, request: { stops = [] } }: UpstreamAnswer): AnswerSource {
  return cutAtStops({ dialect: dialect.id, events, reply }, stops);
}

/** A client whose SDK insists on a key gives this one to say that it has none. */
const NO_KEY = 'skein';

/** Whether a provider is the vendor whose API the client speaks, so that its key is good there. */
function isOwnVendor({ dialect }: ClientCall, issuer: string): boolean {
  return dialect.home.issuer === issuer;
}

/** What a client's request means at a target. */
async function prepare(
  call: ClientCall,
  target: Target,
  dialect: Dialect,
  restorer: Restorer,
  scope: string,
): Promise<OutgoingRequest> {
  const isSame = call.dialect.id === dialect.id;
  const origin = { issuer: isSame ? target.provider.issuer : GATEWAY_ISSUER };
  const { system, tools, messages, params, rest } = call.dialect.readRequest(call.body ?? '', origin);
  const restored = await restorer.restore(messages, call.dialect, scope);
  const { stream: _, ...extra } = rest;
  // A client that speaks the target's protocol may send the target's own replies as it likes.
  const isOwn = ({ origin: from }: Message) => isSame && from.dialect === dialect.id && from.issuer === origin.issuer;
  const sent = restored.messages.map((message, at) => (isOwn(message) ? messages[at]! : message));
  const isRelayed = isSame && sent.every((message, at) => message === messages[at] && !hasReference(message.raw));
  const request = {
    ...(isRelayed && { body: withTargetModel(call, target.model) }),
    ...(isSame && { headers: vendorHeaders(call) }),
    ...{ system: system ? [system] : [], tools, params, extra, messages: sent, given: messages },
    ...{ renamed: restored.renamed, wordsKey: restored.wordsKey, losses: restored.losses },
  };
  return adaptRequest(request, call, target, dialect);
}

/** The client's own text, with the name that the provider has for the model. */
function withTargetModel({ body = '' }: ClientCall, model: string): string {
  const range = find(body, ['model']);
  return range ? splice(body, [{ ...range, text: JSON.stringify(model) }]) : body;
}

/** The headers that belong to the vendor's API, such as those that turn on new features. */
function vendorHeaders({ headers, api }: ClientCall): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith(`${api.vendor}-`)));
}

function skeinHeaders({ target, losses, skipped }: UpstreamAnswer, exchange: string): Record<string, string> {
  return {
    'x-skein-exchange': exchange,
    'x-skein-model': `${target.provider.id}/${target.model}`,
    ...(losses.length > 0 && { 'x-skein-losses': summarizeLosses(losses) }),
    ...(skipped.length > 0 && {
      'x-skein-fallback': skipped
        .map((one) => `${one.target.provider.id}/${one.target.model} ${one.reason}`)
        .join(', '),
    }),
  };
}

/** How many things were lost, and why: `3; parameter=2, prefix-bound=1`. */
function summarizeLosses(losses: readonly (Loss | LossNote)[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of losses) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return `${losses.length}; ${[...counts].map(([reason, count]) => `${reason}=${count}`).join(', ')}`;
}

function describeError(error: unknown): ServedError {
  if (error instanceof ProviderError) return { status: error.status ?? 502, code: error.code, message: error.message };
  const { status, code, message } = toProblem(error);
  return { status, code, message };
}
