import {
  type Dialect,
  type Environment,
  exchange,
  type Fetch,
  find,
  loadDialect,
  resolveEndpoint,
  splice,
  type TextExchange,
  type Usage,
  user,
} from '@skein/core';
import { type CompactionOperation, serving } from '@skein/core/dialect';
import type { Services } from '../services.ts';
import { headerName } from './client/answer.ts';
import { type ClientCall, type Route, type Target, withBody } from './client/client-call.ts';
import { countTokens } from './count-tokens.ts';
import { noRecording } from './memory/recording.ts';
import { findServedModel, listServedModels, unknownModel } from './models.ts';
import { ask, type OutgoingRequest, writeFor } from './request/exchange.ts';

/** A whole answer of the gateway. */
interface OperationAnswer {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface OperationOptions {
  readonly services: Services;
  /** What a call means at a target. */
  readonly prepare: (call: ClientCall, target: Target, dialect: Dialect) => Promise<OutgoingRequest>;
  readonly keyFor: (target: Target) => string | undefined;
  readonly signal: AbortSignal;
  readonly fetch: Fetch;
  /** Takes what a model used. */
  readonly spend: (target: Target, usage: Usage | undefined) => void;
}

/**
 * Answers what clients ask for beside replies: models, token counts, shorter conversations. Undefined for what the client's own
 * vendor has to answer.
 */
export async function answerOperation(
  call: ClientCall,
  route: Route,
  options: OperationOptions,
): Promise<OperationAnswer | undefined> {
  const { services } = options;
  if (call.operation === 'models') {
    const list = call.api.modelList(await listServedModels(call, services), new URLSearchParams(call.query));
    return { body: JSON.stringify(list), headers: {} };
  }
  if (call.operation === 'model') {
    const model = await findServedModel(call, services);
    return model && { body: JSON.stringify(call.api.modelBody(model)), headers: {} };
  }
  if (route.kind === 'pass' || (call.operation !== 'count' && call.operation !== 'compact')) return undefined;
  if (route.kind === 'unknown') throw unknownModel(route.model);
  return call.operation === 'count' ? count(call, route.targets[0]!, options) : compact(call, route.targets, options);
}

async function count(call: ClientCall, target: Target, options: OperationOptions): Promise<OperationAnswer> {
  const { prepare, keyFor, signal, services } = options;
  const { env }: { readonly env: Environment } = services;
  const counting = call.api.counting!;
  const { provider } = resolveEndpoint(target.provider, { env });
  const dialect = await loadDialect(provider.dialect);
  const resolved = { ...target, provider };
  const { request: _, ...address } = call;
  const request = await prepare(withBody(address, counting.toRequest(call.body ?? '')), resolved, dialect);
  const written = writeFor(request, dialect, provider, target.model, false);
  const { tokens, isEstimate } = await countTokens({
    ...{ target: resolved, dialect, request, env, signal },
    body: request.relayed ?? written().body,
    key: keyFor(target),
  });
  return {
    body: JSON.stringify(counting.write(tokens)),
    headers: { 'x-skein-model': headerName(resolved), ...(isEstimate && { 'x-skein-estimate': 'true' }) },
  };
}

async function compact(
  call: ClientCall,
  targets: readonly Target[],
  { prepare, keyFor, signal, fetch, spend, services: { env, forest } }: OperationOptions,
): Promise<OperationAnswer> {
  const [first] = targets;
  if (compactsItself(call, first!)) {
    const { text } = await compactUpstream(call, first!, { env, key: keyFor(first!), signal });
    return { body: text, headers: { 'x-skein-model': headerName(first!) } };
  }
  const id = forest.clock.tick();
  const upstream = await ask({
    ...{ targets, env, keyFor, signal, fetch, isStream: false, isStrict: false },
    async prepare(target, dialect) {
      const { relayed: _, ...request } = await prepare(call, target, dialect);
      return toSummaryRequest(request);
    },
    tap: noRecording(id).tap,
  });
  const { message, usage } = upstream.reply();
  spend(upstream.target, usage);
  return {
    body: writeCompaction(call, message.text, { id: id.replace(/\W/g, '_'), usage }),
    headers: { 'x-skein-model': headerName(upstream.target) },
  };
}

/** What a model is told when it sums up a conversation. */
const INSTRUCTION = `Sum up our conversation so far, so that another model can continue it without having read it. Write down, under short headings: what the user wants and every instruction that still holds; what was done, decided and found out, with exact names, paths, commands, numbers and code that are needed again; what failed; what is left to do, and the next step. Leave out greetings and repetitions. Write the summary only, and call no tools.`;

/** The request that asks a model for the summary: the conversation, and the instruction behind it. */
function toSummaryRequest(request: OutgoingRequest): OutgoingRequest {
  const { toolChoice: _, parallelToolCalls: _calls, ...params } = request.params;
  return { ...request, messages: [...request.messages, user(INSTRUCTION)], params };
}

/** The answer to a client that asked for a shorter conversation. */
function writeCompaction(
  { api, request = {} }: Pick<ClientCall, 'api' | 'request'>,
  summary: string,
  { id, usage }: { readonly id: string; readonly usage: Usage | undefined },
): string {
  const head = { id, created: Math.floor(Date.now() / 1000), usage };
  return JSON.stringify((api.compacting as CompactionOperation).write(summary, request, head));
}

/** A request in which the summaries that we handed out are plain messages. */
export function expandSummaries({ api, body = '', request }: Pick<ClientCall, 'api' | 'body' | 'request'>): string {
  return request && api.compacting ? api.compacting.expand(body) : body;
}

/** Whether the vendor of the target compacts conversations of this protocol itself. */
function compactsItself({ dialect }: Pick<ClientCall, 'dialect'>, { provider }: Target): boolean {
  return provider.id === dialect.home.id && serving(dialect).api?.compacting !== undefined;
}

/** Has the vendor compact the conversation: the client's own request, under the model's own name. */
async function compactUpstream(
  { api, body = '' }: Pick<ClientCall, 'api' | 'body'>,
  { provider, model }: Target,
  options: { readonly env: Environment; readonly key: string | undefined; readonly signal: AbortSignal },
): Promise<TextExchange> {
  const { connection } = provider;
  const named = find(body, ['model']);
  return exchange({
    provider: { ...provider, connection: { ...connection!, path: api.compacting!.path(connection!.path) } },
    model,
    body: named ? splice(body, [{ ...named, text: JSON.stringify(model) }]) : body,
    stream: false,
    ...options,
  });
}
