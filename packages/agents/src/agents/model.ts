import {
  type Environment,
  isSkeinError,
  type ModelChoice,
  type ProviderDescriptor,
  type SelectionStrategy,
  selectModel,
  type UnknownProviderError,
} from '@skein/core';
import { findProvider } from '../config/providers.ts';
import type { Config } from '../config/types.ts';
import type { KeyPath } from '../files/document.ts';
import type { Report } from '../files/shape.ts';
import type { AgentFile } from './agent-file.ts';

/** A model for `run`, with its provider as configured. */
export type ChosenModel = Exclude<ModelChoice, string>;

interface ModelContext {
  readonly config: Pick<Config, 'providers' | 'model'>;
  readonly env: Environment;
  readonly report: Report;
}

/** The model of an agent: from `provider` and `model`, from `provider/model`, or the default of the configuration. */
export function modelOf(
  { provider: name, model }: Partial<AgentFile>,
  choosing: ModelContext,
): ChosenModel | undefined {
  const { config, env, report } = choosing;
  if (name === undefined) return modelNamed(typeof model === 'string' ? model : config.model, model, choosing);
  const provider = providerNamed(name, ['provider'], choosing);
  if (!provider) return undefined;
  if (typeof model === 'string') return { provider, model, env };
  if (model !== undefined) {
    const [, own] = Object.entries(model).find(([key]) => sameProvider(key, provider, config)) ?? [];
    if (own !== undefined) return { provider, model: own, env };
    const fix = `Add "${name}: <model>" below "model".`;
    report(
      ['model'],
      'missing-key',
      `There is a model for ${Object.keys(model).join(', ')}, and none for ${name}.`,
      fix,
    );
    return undefined;
  }
  const chosen = usualModel(provider, env);
  if (chosen !== undefined) return { provider, model: chosen, env };
  report(['provider'], 'missing-key', `No model is known for ${name}.`, 'Add "model: <name>".');
  return undefined;
}

/** Resolves `provider/model`, with the provider as configured. */
export function chosenModel(text: string, path: KeyPath, choosing: ModelContext): ChosenModel | undefined {
  const slash = text.indexOf('/');
  const model = text.slice(slash + 1).trim();
  if (slash < 1 || model === '') {
    const fix = 'Write "provider/model", such as "openai/gpt-5.5", or add "provider: <name>".';
    choosing.report(path, 'wrong-value', 'This does not name a provider and a model.', fix);
    return undefined;
  }
  const provider = providerNamed(text.slice(0, slash), path, choosing);
  return provider && { provider, model, env: choosing.env };
}

function modelNamed(text: string | undefined, written: unknown, choosing: ModelContext): ChosenModel | undefined {
  if (text !== undefined && (written === undefined || typeof written === 'string'))
    return chosenModel(text, written === undefined ? [] : ['model'], choosing);
  const fix = 'Add "provider: anthropic" and "model: claude-sonnet-5", or a default "model" to skein.config.yaml.';
  choosing.report([], 'missing-key', 'There is no provider, and no default model.', fix);
  return undefined;
}

function providerNamed(name: string, path: KeyPath, { config, report }: ModelContext): ProviderDescriptor | undefined {
  try {
    return findProvider(name, config.providers);
  } catch (error) {
    if (!isSkeinError(error, 'unknown_provider')) throw error;
    const { nearest, known } = error as UnknownProviderError;
    const near = nearest === undefined ? '' : `Did you mean "${nearest}"? `;
    report(path, 'unknown-provider', `There is no provider "${name}".`, `${near}Known: ${known.join(', ')}.`);
    return undefined;
  }
}

function sameProvider(key: string, provider: ProviderDescriptor, config: Pick<Config, 'providers'>): boolean {
  try {
    return findProvider(key, config.providers).id === provider.id;
  } catch {
    return false;
  }
}

/** The first model of this provider in the list of known models. */
function usualModel(provider: ProviderDescriptor, env: Environment): string | undefined {
  try {
    const only: SelectionStrategy = (candidates) =>
      candidates.find((candidate) => candidate.provider.id === provider.id);
    return selectModel({ tools: true }, { env, strategy: only }).model;
  } catch (error) {
    if (isSkeinError(error, 'no_model')) return undefined;
    throw error;
  }
}
