import { provider as builtIn, type Environment, type ProviderDescriptor, UnknownProviderError } from '@skein/core';
import { DEMO_ISSUER } from '@skein/forest';
import type { Services } from '../services.ts';
import { type GivenKeys, type Signing, signingOf } from './credentials.ts';
import { createTargets, type Target } from './target.ts';

/** Where the demo answers a request that has no key, and the key it takes; undefined where the provider itself is asked. */
export type StandIn = (
  url: string,
  provider: ProviderDescriptor,
  given: GivenKeys,
  token: string | undefined,
) => { readonly target: Target; readonly signing: Signing } | undefined;

/** Undefined without a demo. */
export function createStandIn({ demo, ownEnv, providers }: Services): StandIn | undefined {
  if (!demo) return undefined;
  const targetOf = createTargets(providers, demo);
  return (url, provider, given, token) => {
    const variables = provider.connection?.baseUrlVariables ?? [];
    if (!variables.some((name) => demo[name]) || hasOwnAddress(provider, variables, ownEnv)) return undefined;
    const found = targetOf(url);
    const target = { ...found, provider: { ...found.provider, issuer: DEMO_ISSUER }, isDemo: true } as const;
    return { target, signing: signingOf(provider, demo, given, { token, useServerKeys: true }) };
  };
}

/** Somebody said where this provider is: by a variable, or in the configuration. */
function hasOwnAddress(
  { id, connection }: ProviderDescriptor,
  variables: readonly string[],
  env: Environment,
): boolean {
  return variables.some((name) => env[name]?.trim()) || connection?.baseUrl !== usualAddress(id);
}

function usualAddress(id: string): string | undefined {
  try {
    return builtIn(id).connection?.baseUrl;
  } catch (error) {
    if (error instanceof UnknownProviderError) return undefined;
    throw error;
  }
}
