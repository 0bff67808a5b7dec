import { type Dialect, type Environment, loadDialect, resolveEndpoint, type Usage } from '@skein/core';
import type { Services } from '../services.ts';
import { type ClientCall, type Route, type Target, withBody } from './client-call.ts';
import { compactsItself, compactUpstream, toSummaryRequest, writeCompaction } from './compact.ts';
import { countTokens } from './count-tokens.ts';
import { ask, type OutgoingRequest, writeFor } from './exchange.ts';
import { findServedModel, listServedModels, unknownModel } from './models.ts';
import { noRecording } from './recording.ts';

/** A whole answer of the gateway. */
export interface OperationAnswer {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface OperationOptions {
  readonly services: Services;
  /** What a call means at a target. */
  readonly prepare: (call: ClientCall, target: Target, dialect: Dialect) => Promise<OutgoingRequest>;
  readonly keyFor: (target: Target) => string | undefined;
  readonly signal: AbortSignal;
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
  const written = writeFor(request, dialect, provider, target.model, { isStream: false, isStrict: false });
  const { tokens, isEstimate } = await countTokens({
    ...{ target: resolved, dialect, request, env, signal },
    body: request.relayed ?? written().body,
    key: keyFor(target),
  });
  return {
    body: JSON.stringify(counting.write(tokens)),
    headers: { 'x-skein-model': nameOf(resolved), ...(isEstimate && { 'x-skein-estimate': 'true' }) },
  };
}

async function compact(
  call: ClientCall,
  targets: readonly Target[],
  { prepare, keyFor, signal, spend, services: { env, forest } }: OperationOptions,
): Promise<OperationAnswer> {
  const [first] = targets;
  if (compactsItself(call, first!)) {
    const { text } = await compactUpstream(call, first!, { env, key: keyFor(first!), signal });
    return { body: text, headers: { 'x-skein-model': nameOf(first!) } };
  }
  const id = forest.clock.tick();
  const upstream = await ask({
    ...{ targets, env, keyFor, signal, isStream: false, isStrict: false },
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
    headers: { 'x-skein-model': nameOf(upstream.target) },
  };
}

function nameOf({ provider, model }: Target): string {
  return `${provider.id}/${model}`;
}
