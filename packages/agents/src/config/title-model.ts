import {
  type CostOf,
  type Environment,
  hasKey,
  isSkeinError,
  type ProviderDescriptor,
  type SelectionStrategy,
  selectModel,
} from '@skein/core';
import { findProvider } from './providers.ts';
import type { Config } from './types.ts';

/** What a title takes, roughly: prices are compared by it. */
const TITLE = { input: 500, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 20, reasoning: 0, native: '{}' };

/** The cheapest of the usual models that can be asked, for titles, or the configured one; undefined where nobody wants them, or there is no key. */
export function titleModel(
  config: Config,
  env: Environment,
  costOf: CostOf,
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
    // Such as one on this machine, which needs no key.
    return provider && hasKey(provider, { env }) ? { provider, model } : undefined;
  }
}
