import type { Dialect, ProviderDescriptor } from '../dialects/index.ts';
import { isObject } from '../json/parse.ts';
import { resolveEndpoint } from '../providers/endpoint.ts';
import type { ModelRef } from '../providers/index.ts';
import type { Connecting, ModelChoice, ModelLimits, RunOptions } from './types.ts';

/** What `run` looks up by name. Given from outside, so that a bundle need not carry every dialect and provider. */
export interface Directory {
  dialect(id: string): Dialect;
  parseModel(text: string): ModelRef;
  /** What is known of a model's size, unless the caller knows better. */
  modelLimits?(provider: ProviderDescriptor, model: string): ModelLimits;
}

/** A model that can be asked. */
export interface Target {
  readonly dialect: Dialect;
  /** With the issuer that its address makes it. */
  readonly provider: ProviderDescriptor;
  readonly model: string;
  readonly connecting: Connecting;
}

/** The model and its fallbacks, in order. */
export function targetsOf(options: RunOptions, directory: Directory): readonly Target[] {
  const choices: readonly ModelChoice[] = [options.model, ...(options.fallback ?? [])];
  const refs = choices.map((choice) => {
    if (typeof choice === 'string') return directory.parseModel(choice);
    if (isObject(choice) && isObject(choice.provider) && typeof choice.model === 'string') return choice;
    throw new TypeError('A model is "provider/model", or { provider, model } with the descriptor of the provider');
  });
  const first = refs[0]!.provider;
  return choices.map((choice, index) => {
    const { provider, model } = refs[index]!;
    const own: Connecting = typeof choice === 'string' ? {} : choice;
    // A key is never shown to another provider than the one it was given for.
    const given = provider.id === first.id ? options : { env: options.env, fetch: options.fetch };
    const connecting = connectingOf(own, given);
    return {
      dialect: directory.dialect(provider.dialect),
      provider: resolveEndpoint(provider, connecting).provider,
      model,
      connecting,
    };
  });
}

function connectingOf(own: Connecting, given: Connecting): Connecting {
  return {
    apiKey: own.apiKey ?? given.apiKey,
    baseUrl: own.baseUrl ?? given.baseUrl,
    account: own.account ?? given.account,
    extraHeaders: own.extraHeaders ?? given.extraHeaders,
    env: own.env ?? given.env,
    fetch: own.fetch ?? given.fetch,
  };
}

export const nameOf = ({ provider, model }: Target): string => `${provider.id}/${model}`;
