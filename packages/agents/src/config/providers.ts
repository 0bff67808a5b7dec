import {
  type CostLookup,
  dialect,
  type Environment,
  hasKey,
  isSkeinError,
  type Policies,
  type ProviderDescriptor,
  provider,
  type SelectionStrategy,
  selectModel,
  UnknownProviderError,
} from '@skein/core';
import type { KeyPath } from '../files/document.ts';
import type { Report } from '../files/shape.ts';
import type { ProviderEntry } from './config-file.ts';
import type { Config } from './types.ts';

/** Makes a provider from its settings: a built-in one with changes, or a new one at a compatible address. */
export function toProvider(
  name: string,
  written: Partial<ProviderEntry>,
  path: KeyPath,
  report: Report,
): ProviderDescriptor | undefined {
  const base = builtIn(name) ?? ownBase(name, written, path, report);
  if (!base?.connection) return undefined;
  const { base_url, key_variable, api_version, dialect: spoken } = written;
  if (spoken !== undefined && spoken !== base.dialect) {
    const fix = `Leave "dialect" out, or give the provider another name than "${name}".`;
    report([...path, 'dialect'], 'wrong-value', `${name} speaks ${base.dialect}.`, fix);
    return undefined;
  }
  return {
    ...base,
    ...(api_version !== undefined && { apiVersion: api_version }),
    connection: {
      ...base.connection,
      ...(base_url !== undefined && { baseUrl: base_url }),
      ...(key_variable !== undefined && { keyVariables: [key_variable], needsKey: true }),
    },
  };
}

/**
 * Finds a provider by name: as configured, or built in. Throws an `UnknownProviderError` that lists the known ones.
 *
 * @example
 * const { config } = await loadConfig();
 * const provider = findProvider('anthropic', config.providers);
 */
export function findProvider(name: string, set: Readonly<Record<string, ProviderDescriptor>>): ProviderDescriptor {
  if (Object.hasOwn(set, name)) return set[name]!;
  const known = builtIn(name);
  // Settings under an alias also apply to the provider's own name, and the other way round.
  const same = known && Object.values(set).find(({ id }) => id === known.id);
  if (same ?? known) return (same ?? known)!;
  try {
    return provider(name);
  } catch (error) {
    if (!isSkeinError(error, 'unknown_provider')) throw error;
    const { known: others } = error as UnknownProviderError;
    throw new UnknownProviderError(name, [...Object.keys(set), ...others.filter((one) => !Object.hasOwn(set, one))]);
  }
}

function builtIn(name: string): ProviderDescriptor | undefined {
  try {
    return provider(name);
  } catch (error) {
    if (isSkeinError(error, 'unknown_provider')) return undefined;
    throw error;
  }
}

/** The base of a new provider: the home provider of its dialect, with another address and issuer. */
function ownBase(
  id: string,
  { base_url, dialect: spoken }: Partial<ProviderEntry>,
  path: KeyPath,
  report: Report,
): ProviderDescriptor | undefined {
  if (base_url === undefined) {
    const fix = 'Add "base_url: https://…", or take the name of a provider that is built in.';
    report(path, 'missing-key', `"${id}" is not a provider that is built in, so it needs an address.`, fix);
    return undefined;
  }
  // Many servers speak Chat Completions, so an unknown one is only expected to do what all of them do.
  const compatible = provider('openai-compatible');
  const home = spoken === undefined || spoken === compatible.dialect ? compatible : findHome(spoken, path, report);
  if (!home?.connection) return undefined;
  const policies: Policies = home.policies;
  const { aliases: _, ...rest } = home;
  return {
    ...rest,
    id,
    issuer: '{host}',
    connection: { ...home.connection, keyVariables: [], baseUrlVariables: [], needsKey: false },
    policies,
  };
}

function findHome(id: string, path: KeyPath, report: Report): ProviderDescriptor | undefined {
  try {
    return dialect(id).home;
  } catch (error) {
    if (!isSkeinError(error, 'unknown_dialect')) throw error;
    report([...path, 'dialect'], 'wrong-value', error.message, 'Write the name of a dialect.');
    return undefined;
  }
}

/** The usual tokens of a title, to compare prices. */
const TITLE = { input: 500, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 20, reasoning: 0, native: '{}' };

/**
 * The model that writes titles: the configured one, or the cheapest of the usual models that has a key. Undefined if
 * titles are off or no model has a key.
 *
 * @example
 * import { costOf } from '@skein/core/prices';
 * const chosen = titleModel(config, process.env, costOf);
 */
export function titleModel(
  config: Config,
  env: Environment,
  costOf: CostLookup,
): { readonly provider: ProviderDescriptor; readonly model: string } | undefined {
  if (config.titles !== 'model') return undefined;
  const price = (provider: string, model: string) =>
    costOf(TITLE, provider, model, new Date()).total ?? Number.MAX_VALUE;
  const cheapest: SelectionStrategy = (candidates) =>
    candidates
      .filter(({ hasKey, lacks }) => hasKey && lacks.length === 0)
      .toSorted((a, b) => price(a.provider.id, a.model) - price(b.provider.id, b.model))[0];
  try {
    const { provider, model } = selectModel({ tools: true }, { env, strategy: cheapest });
    return { provider: findProvider(provider.id, config.providers), model };
  } catch (error) {
    if (!isSkeinError(error, 'no_model')) throw error;
    const [, id = '', model = ''] = /^([^/]+)\/(.+)$/.exec(config.model ?? '') ?? [];
    const provider = id === '' ? undefined : findProvider(id, config.providers);
    // For example a model on this machine.
    return provider && hasKey(provider, { env }) ? { provider, model } : undefined;
  }
}
