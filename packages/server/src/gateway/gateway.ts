import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Dialect, type Loss, ProviderError } from '@skein/core';
import type { LossNote, ServedError } from '@skein/core/dialect';
import type { Access } from '../http/access.ts';
import { Problem, toProblem } from '../http/problem.ts';
import { toHeaderMap } from '../proxy/headers.ts';
import { createActiveCount, decodeBody, type Proxy as RecordingProxy, readBody } from '../proxy/proxy.ts';
import { answerWith } from '../proxy/respond.ts';
import { refuseUpgrade, type UpgradeRequest } from '../proxy/socket.ts';
import { readKeys } from '../proxy/upstream.ts';
import type { Services } from '../services.ts';
import { answerStream, answerWhole, httpSink } from './answer.ts';
import { type ClientCall, type Route, readClientAddress, type Target, withBody } from './client-call.ts';
import { ask, type OutgoingRequest, type UpstreamAnswer } from './exchange.ts';

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

export function createGateway(services: Services, access: Access, proxy: RecordingProxy): Gateway {
  const { log, metrics } = services;
  const streams = createActiveCount();

  const serve = async (client: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const headers = toHeaderMap(client.rawHeaders);
    const url = client.url ?? '';
    const keys = readKeys(headers, url);
    access.checkSource({
      host: client.headers.host,
      origin: client.headers.origin,
      fetchSite: headers.get('sec-fetch-site'),
    });
    access.checkToken([headers.get('x-skein-token'), ...keys.values()], () => client.socket.remoteAddress);
    const address = readClientAddress(client.method ?? 'GET', url, headers);
    if (!address)
      throw new Problem(
        'no_such_route',
        'The gateway serves /gateway/openai/v1, /gateway/anthropic and /gateway/google.',
      );
    const bytes = await readBody(client);
    const call = withBody(address, decodeBody(headers.get('content-encoding'), bytes) ?? '');
    try {
      const route = findRoute(call, services);
      if (call.operation !== 'ask' || route.kind === 'pass')
        return proxy.handle(client, answer, {
          url: `/proxy/${call.api.vendor}${call.path}${call.query && `?${call.query}`}`,
          body: bytes.length > 0 ? bytes : undefined,
          useServerKeys: true,
        });
      if (route.kind === 'unknown')
        throw new Problem('bad_model', `There is no model ${route.model}.`, { status: 404 });
      await translate(call, route.targets, answer);
    } catch (error) {
      const { status, ...served } = describeError(error);
      answerWith(answer, status, 'application/json', JSON.stringify(call.server.errorBody({ status, ...served })));
    }
  };

  const translate = async (call: ClientCall, targets: readonly Target[], answer: ServerResponse): Promise<void> => {
    const leaving = new AbortController();
    answer.once('close', () => {
      if (!answer.writableFinished) leaving.abort();
    });
    const upstream = await ask({
      targets,
      prepare: async (target, dialect) => prepare(call, target, dialect),
      isStream: call.isStream,
      isStrict: /^(?:true|1)$/i.test(call.headers.get('x-skein-strict') ?? ''),
      env: services.env,
      keyFor: () => undefined,
      signal: leaving.signal,
      tap: { request: () => undefined, head: () => undefined, push: () => undefined },
    });
    const id = `${Date.now()}`;
    const head = {
      id: call.api.makeId(id),
      model: call.model ?? '',
      created: Math.floor(Date.now() / 1000),
      request: call.request,
    };
    const source = { dialect: upstream.dialect.id, events: upstream.events, reply: upstream.reply };
    await (call.isStream ? answerStream : answerWhole)(call, head, source, httpSink(answer), {
      beforeEnd: async () => undefined,
      onText: () => undefined,
      describe: describeError,
      headers: skeinHeaders(upstream),
    });
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
    settled: () => streams.none(),
  };
}

function findRoute({ model = '', dialect }: ClientCall, { providers }: Services): Route {
  const [id = '', ...rest] = model.split('/');
  const provider = providers.find((one) => one.id === id || one.aliases?.includes(id));
  if (provider && rest.length > 0)
    return { kind: 'targets', targets: [{ provider, model: rest.join('/') }], by: 'name' };
  return { kind: 'pass', provider: dialect.home };
}

/** What a client's request means at a target. */
function prepare(call: ClientCall, target: Target, dialect: Dialect): OutgoingRequest {
  const isSame = call.dialect.id === dialect.id;
  const origin = isSame ? { issuer: target.provider.issuer } : { issuer: 'gateway-client' };
  const { system, tools, messages, params, rest } = call.dialect.readRequest(call.body ?? '', origin);
  const { stream: _, ...others } = rest;
  const losses = isSame
    ? []
    : Object.keys(others).map((name): LossNote => ({ kind: 'dropped', path: name, reason: 'parameter' }));
  return { system: system ? [system] : [], tools, messages, params, extra: isSame ? others : {}, losses };
}

function skeinHeaders({ target, written, request, skipped }: UpstreamAnswer): Record<string, string> {
  const losses = [...request.losses, ...written.losses];
  return {
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
