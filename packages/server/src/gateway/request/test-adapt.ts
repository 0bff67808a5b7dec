import { type Dialect, loadDialect, providers, writeRequest } from '@skein/core';
import { serving } from '@skein/core/dialect';
import type { Target } from '../client/client-call.ts';
import { refuseReliedOn } from './params.ts';
import { adaptRequest, type RequestForTarget } from './prepare-request.ts';

/** The upstreams of the tests: a model of each dialect. */
const MODELS = {
  chat: 'openai-chat/gpt-5.2',
  responses: 'openai/gpt-5.2',
  anthropic: 'anthropic/claude-opus-5',
  opus55: 'anthropic/claude-opus-5-5',
  claude45: 'anthropic/claude-sonnet-4-5',
  google: 'google/gemini-3-pro',
  gemini25: 'google/gemini-2.5-flash',
  interactions: 'google-interactions/gemini-3-pro',
  bedrock: 'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
  cohere: 'cohere/command-a-03-2025',
} as const;

export type ModelName = keyof typeof MODELS;

export function findTarget(name: ModelName): Target {
  const [id, ...model] = MODELS[name].split('/');
  return { provider: providers().find((one) => one.id === id)!, model: model.join('/') };
}

export interface Adapted extends RequestForTarget {
  /** The body that goes out. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Every loss as `kind path reason detail`. */
  readonly notes: readonly string[];
}

/** What a client's request becomes at a target, as the gateway prepares it. */
export async function adapt(client: Dialect, body: object, name: ModelName): Promise<Adapted> {
  const target = findTarget(name);
  const dialect = await loadDialect(target.provider.dialect);
  const read = client.readRequest(JSON.stringify(body), { issuer: 'client' });
  const { system, messages, tools, params, rest } = read;
  const given = { system: system ? [system] : [], messages, tools, params, extra: rest, losses: [] };
  const ready = adaptRequest(given, { dialect: client, server: serving(client) }, target, dialect);
  const extra = Object.entries(ready.extra).map(([member, text]) => `${JSON.stringify(member)}:${text}`);
  const written = writeRequest(dialect, {
    ...{ model: target.model, provider: target.provider, messages: ready.messages, tools: ready.tools },
    ...(ready.system.length > 0 && { system: ready.system }),
    params: ready.params,
    extra: `{${extra.join(',')}}`,
    ...(ready.cache && { cache: ready.cache }),
  });
  refuseReliedOn(written.losses, ready, target);
  const losses = [...ready.losses, ...written.losses];
  return {
    ...{ ...ready, losses },
    body: JSON.parse(written.body),
    notes: losses.map(({ kind, path, reason, detail }) => [kind, path, reason, detail].filter(Boolean).join(' ')),
  };
}
