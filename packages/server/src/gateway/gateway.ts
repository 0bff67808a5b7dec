import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRecorder, createReplayer, type GatewayUse } from '@skein/forest';
import type { Access } from '../http/access.ts';
import { Problem, problemBody, toProblem } from '../http/problem.ts';
import { type ClientHeaders, type ProxyOptions, readClientHeaders, toHeaderMap } from '../proxy/headers.ts';
import { createActiveCount, type Proxy as RecordingProxy } from '../proxy/proxy.ts';
import { decodeBody, readBody } from '../proxy/request-body.ts';
import { answerWith, sendResponse } from '../proxy/respond.ts';
import { refuseUpgrade, type UpgradeRequest } from '../proxy/socket.ts';
import type { Services } from '../services.ts';
import { readTokenSpending } from '../spending.ts';
import { createBudgets } from './budgets.ts';
import {
  type AnswerHooks,
  type AnswerSink,
  type AnswerSource,
  answerRelayed,
  answerStream,
  answerWhole,
  httpSink,
  responseIdFor,
  skeinHeaders,
  ToldFailure,
} from './client/answer.ts';
import { unwrapAnswer } from './client/answer-tool.ts';
import { type ClientCall, type Route, readClientAddress, type Target, withBody } from './client/client-call.ts';
import { ClientRefusal, describeClientError, isFault, writeClientError } from './client/client-error.ts';
import { askCopies, joinCopies, keepCopy } from './client/copies.ts';
import { cutAtStops } from './client/stop-cut.ts';
import { countAnswer } from './gateway-metrics.ts';
import { createKeeper } from './memory/kept.ts';
import { createGatewayRecording, noRecording } from './memory/recording.ts';
import { loadReferences, type References } from './memory/references.ts';
import { createRestorer } from './memory/restore.ts';
import { unknownModel } from './models.ts';
import { answerOperation } from './operations.ts';
import { type AskOptions, ask, type UpstreamAnswer } from './request/exchange.ts';
import { createLastRequests, prepareRequest, type RequestMemory } from './request/prepare-request.ts';
import { createUpstreamConnections } from './request/upstream-fetch.ts';
import { findRoute } from './routes.ts';
import { serveSocket } from './socket.ts';
import { createGatewayTokens, type GatewayCaller } from './tokens.ts';

/**
 * Answers clients of any protocol from any provider: it reads a request in the client's protocol, asks the provider that
 * its model names, and writes the answer in the client's protocol.
 */
export interface Gateway {
  handle(client: IncomingMessage, answer: ServerResponse): void;
  upgrade(request: UpgradeRequest): void;
  /** Resolves when every exchange that has passed is stored. */
  settled(): Promise<void>;
  /** Closes the connections to providers. */
  close(): void;
}

/** A call with what its connection tells: who asks, with which keys, and what is asked of the gateway itself. */
interface ReceivedCall {
  readonly call: ClientCall;
  readonly url: string;
  readonly asked: ClientHeaders;
  readonly caller: GatewayCaller;
  /** For the recording and the metrics. */
  readonly use: GatewayUse;
}

/** What the gateway finds earlier replies with. */
interface Memory extends RequestMemory {
  readonly references: References;
}

export function createGateway(
  services: Services,
  access: Access,
  proxy: RecordingProxy,
  options: ProxyOptions = {},
): Gateway {
  const { forest, config, log, metrics, backlog, onRecordingLost: onError } = services;
  const streams = createActiveCount();
  const tokens = createGatewayTokens(config.gateway.tokens, services.ownEnv, access);
  const budgets = createBudgets({
    tokens: config.gateway.tokens,
    readSpending: (since) => readTokenSpending(forest, since, services.costOf),
    costOf: services.costOf,
    onError: (error) => log.error('budget-unread', error),
  });
  const recorder = createRecorder(forest, { onError, hints: config.hints, backlog });
  const replayer = createReplayer(forest);
  const redact = config.redaction.beforeStoring ? services.redact : undefined;
  const connections = createUpstreamConnections();
  const { fetch } = connections;
  /** The recordings of requests that failed. */
  const failed = new WeakMap<Error, string>();
  let memory: Promise<Memory> | undefined;
  const loadMemory = async (): Promise<Memory> => {
    const references = await loadReferences(forest);
    const restorer = createRestorer(forest, references);
    const lastRequests = createLastRequests(forest);
    return { references, restorer, keeper: createKeeper(forest, restorer), lastRequests };
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
    const address = readClientAddress(client.method ?? 'GET', url, headers);
    if (!address) throw new Problem('no_such_route', NO_VENDOR);
    let call: ClientCall = address;
    let use: GatewayUse = {};
    answer.once('close', () => {
      const { token = '', route = '' } = use;
      metrics.count('skein_gateway_requests_total', {
        client: call.api.vendor,
        token,
        route,
        status: answer.statusCode,
      });
    });
    try {
      access.checkSource({
        host: client.headers.host,
        origin: client.headers.origin,
        fetchSite: headers.get('sec-fetch-site'),
      });
      // Agents look whether there is a server at all, without a key.
      if (client.method === 'HEAD') return answerWith(answer, 200, 'application/json', '');
      const caller = tokens.admit(headers, url, () => client.socket.remoteAddress);
      use = { ...(caller.name !== undefined && { token: caller.name }) };
      const bytes = await readBody(client);
      const body = decodeBody(headers.get('content-encoding'), bytes);
      if (body === undefined)
        throw new ClientRefusal('The body cannot be decoded as its content-encoding says. Send it without one.');
      call = withBody(address, body);
      const asked = readClientHeaders(headers, options);
      const route = budgets.limitFallbacks(caller.name, findRoute(call, config.gateway, services));
      use = { ...use, route: route.kind === 'targets' ? route.label : route.kind };
      const received: ReceivedCall = { call, url: `http://${client.headers.host}${url}`, asked, caller, use };
      const pass = (useServerKeys: boolean) =>
        proxy.handle(client, answer, {
          url: `/proxy/${call.api.vendor}${call.path}${call.query && `?${call.query}`}`,
          body: bytes.length > 0 ? bytes : undefined,
          token: caller.token,
          gateway: use,
          useServerKeys,
        });
      const isAsked = call.operation === 'ask' || call.operation === 'compact';
      if (isAsked && route.kind === 'unknown') throw unknownModel(route.model);
      const isRecorded = asked.mode !== 'pass';
      if (isAsked && route.kind === 'pass')
        await budgets.begin(caller.name, { provider: route.provider, model: call.model ?? '' }, { isRecorded });
      if (isAsked && route.kind === 'targets') await budgets.begin(caller.name, route.targets[0]!, { isRecorded });
      if (call.operation !== 'ask') {
        if (call.operation !== 'other' && (await answerOther(received, route, answer))) return;
        // What is kept at the vendor under the server's account is not for clients.
        const isShared = route.kind === 'pass' && (isAsked || call.operation === 'count' || call.operation === 'model');
        if (!isShared && caller.keys.size === 0)
          throw new ClientRefusal(`There is nothing at ${call.path}.`, { status: 404, word: 'not_found' });
        return pass(isShared);
      }
      if (route.kind === 'pass') return pass(true);
      if (route.kind === 'unknown') throw unknownModel(route.model);
      const found = asked.mode === 'replay' ? await replay(received) : undefined;
      if (found) return await sendResponse(answer, found);
      await translate(received, route.targets, httpSink(answer), leavingSignal(answer));
    } catch (error) {
      refuse(call, answer, error);
    }
  };

  /** Answers what is no question to a model; false where the client's own vendor has to answer. */
  const answerOther = async ({ call, asked, caller }: ReceivedCall, route: Route, answer: ServerResponse) => {
    const memory = await remember();
    // A client with a key of its own has conversations at its vendor.
    const isAtVendor = call.operation === 'create-conversation' && caller.keys.size > 0;
    const kept = isAtVendor ? undefined : await memory.keeper.answer(call);
    const found =
      (kept !== undefined ? { body: kept, headers: {} } : undefined) ??
      (await answerOperation(call, route, {
        services,
        prepare: (one, target, dialect) => prepareRequest(one, target, dialect, memory, asked.thread ?? ''),
        keyFor: ({ provider }) => tokens.keyFor(caller, call.dialect.home, provider),
        signal: leavingSignal(answer),
        fetch,
        spend: (target, usage) => budgets.add(caller.name, target, usage),
      }));
    if (!found) return false;
    for (const [name, value] of Object.entries(found.headers)) answer.setHeader(name, value);
    answerWith(answer, 200, 'application/json', found.body);
    return true;
  };

  /** The answer from a recording; undefined where there is none and the request goes on to the provider. */
  const replay = async ({ call, url, asked }: ReceivedCall): Promise<Response | undefined> => {
    await recorder.stored();
    const body = call.body ?? '';
    const request = { method: call.method, url, headers: call.headers, body: redact ? redact(body) : body };
    const found = await replayer.answer(request, { timing: asked.timing });
    return found ?? (asked.onMiss === 'pass' ? undefined : replayer.refuse(request));
  };

  const translate = async (
    received: ReceivedCall,
    targets: readonly Target[],
    sink: AnswerSink,
    signal: AbortSignal,
  ): Promise<void> => {
    const { call, asked } = received;
    const memory = await remember();
    const { references, restorer } = memory;
    const isRecorded = asked.mode !== 'pass';
    const recording = isRecorded
      ? createGatewayRecording({ recorder, redact, onError, received, targets })
      : noRecording(forest.clock.tick());
    try {
      const options: AskOptions = {
        targets,
        prepare: (target, dialect) => prepareRequest(call, target, dialect, memory, asked.thread ?? ''),
        isStream: call.isStream,
        isStrict: /^(?:true|1)$/i.test(call.headers.get('x-skein-strict') ?? ''),
        env: services.env,
        keyFor: ({ provider }) => tokens.keyFor(received.caller, call.dialect.home, provider),
        ...{ signal, fetch },
        tap: recording.tap,
      };
      const upstream = await ask(options);
      const { copies = 1, served, offered } = upstream.request;
      if (offered) memory.lastRequests.keep(recording.id, offered);
      const others =
        copies === 1
          ? []
          : await askCopies(copies - 1, { ...options, targets: [upstream.target] }, () =>
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
      const headers = skeinHeaders(upstream, recording.id);
      recording.head(200, headers, call.isStream, upstream.native ? undefined : head.id);
      const hooks: AnswerHooks = {
        keep: (reply, last, losses) => recording.keep(call, upstream, { reply, last, losses }, restorer),
        sent({ usage }, losses) {
          const cost = budgets.add(received.caller.name, upstream.target, usage);
          countAnswer(metrics, received.use, upstream, { usage, losses, cost });
        },
        onText: recording.text,
        describe: (error) => describeClientError(call, error),
        headers,
      };
      const { native, reply } = upstream;
      const source = joinCopies([answerOf(upstream), ...others.map((one) => answerOf(one.upstream))]);
      if (native) await answerRelayed(call, head, { native, reply }, sink, hooks);
      else await (call.isStream ? answerStream : answerWhole)(call, head, source, sink, hooks);
      for (const one of others) await keepCopy(call, one, restorer);
    } catch (error) {
      const isTold = error instanceof ToldFailure;
      const cause = isTold ? error.cause : error;
      recording.fail(cause, describeClientError(call, cause));
      if (isRecorded && error instanceof Error) failed.set(error, recording.id);
      if (!isTold) throw error;
      if (isFault(cause)) log.error('gateway-failed', cause);
    }
  };

  const openSocket = async (request: UpgradeRequest): Promise<void> => {
    const { client } = request;
    const url = client.url ?? '';
    const headers = toHeaderMap(client.rawHeaders);
    // The requests on the connection are those of the same path over HTTP.
    const address = readClientAddress('POST', url, headers);
    const protocol = address?.operation === 'ask' ? await address.dialect.socket?.() : undefined;
    if (!address || !protocol)
      return refuseUpgrade(request.socket, 426, JSON.stringify({ error: { message: 'Use HTTP at this address.' } }));
    access.checkSource({
      host: client.headers.host,
      origin: client.headers.origin,
      fetchSite: headers.get('sec-fetch-site'),
    });
    const caller = tokens.admit(headers, url, () => client.socket.remoteAddress);
    const asked = readClientHeaders(headers, options);
    const answerOne = async (body: string, sink: AnswerSink, signal: AbortSignal): Promise<void> => {
      const call = withBody(address, body);
      const route = budgets.limitFallbacks(caller.name, findRoute(call, config.gateway, services));
      if (route.kind === 'unknown') throw unknownModel(route.model);
      // A bare name is of a model of the client's own vendor, which gets the client's own text.
      const own = route.kind === 'pass' && [{ provider: route.provider, model: call.model ?? '' }];
      const targets = own || (route.kind === 'targets' ? route.targets : []);
      const label = route.kind === 'targets' ? route.label : route.kind;
      const use = { ...(caller.name !== undefined && { token: caller.name }), route: label };
      const received = { call, url: `http://${client.headers.host}${url}`, asked, caller, use };
      await budgets.begin(caller.name, targets[0]!, { isRecorded: asked.mode !== 'pass' });
      const found = asked.mode === 'replay' ? await replay(received) : undefined;
      if (found) return sink.end(await found.text());
      await translate(received, targets, sink, signal);
    };
    serveSocket(request, {
      ...{ protocol, call: address },
      answer: (body, sink, signal) => {
        streams.add();
        return answerOne(body, sink, signal).finally(streams.remove);
      },
      describe: (error) => {
        if (isFault(error)) log.error('gateway-failed', error);
        return describeClientError(address, error);
      },
      newResponseId: () => responseIdFor(address, forest.clock.tick()),
    });
  };

  /** Tells the client in its own protocol. */
  const refuse = (call: ClientCall, answer: ServerResponse, error: unknown) => {
    if (isFault(error)) log.error('gateway-failed', error);
    if (answer.destroyed) return;
    const { status, headers, body } = writeClientError(call, error);
    const exchange = error instanceof Error ? failed.get(error) : undefined;
    const all = { ...headers, ...(exchange !== undefined && { 'x-skein-exchange': exchange }) };
    if (!answer.headersSent) for (const [name, value] of Object.entries(all)) answer.setHeader(name, value);
    answerWith(answer, status, 'application/json', body);
  };

  return {
    handle(client, answer) {
      streams.add();
      serve(client, answer)
        // Nobody knows which protocol this client speaks.
        .catch((error: unknown) => {
          const problem = toProblem(error);
          answerWith(answer, problem.status, 'application/problem+json', problemBody(problem));
        })
        .finally(streams.remove);
    },
    upgrade(request) {
      openSocket(request).catch((error: unknown) => {
        const problem = toProblem(error);
        refuseUpgrade(request.socket, problem.status, problemBody(problem));
      });
    },
    async settled() {
      await streams.none();
      await recorder.settled();
    },
    close: connections.close,
  };
}

/** The answer of an upstream, as far as the client wants it. */
function answerOf({ dialect, events, reply, request }: UpstreamAnswer): AnswerSource {
  const { stops = [], isAnswerCalled = false } = request;
  const source = { dialect: dialect.id, events, reply };
  return cutAtStops(isAnswerCalled ? unwrapAnswer(source) : source, stops);
}

/** Aborted when the client leaves before it has the whole answer. */
function leavingSignal(answer: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  answer.once('close', () => {
    if (!answer.writableFinished) leaving.abort(new DOMException('the client left', 'AbortError'));
  });
  return leaving.signal;
}

const NO_VENDOR = 'The gateway serves clients at /gateway/openai/v1, /gateway/anthropic and /gateway/google.';
