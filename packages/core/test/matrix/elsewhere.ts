/** The same protocol, spoken by someone who takes any tool id and cannot read what the home provider encrypted. */
import type { ProviderDescriptor } from '@skein/core';
import type { Api } from './apis.ts';

export function elsewhere({ dialect: { home } }: Api): ProviderDescriptor {
  return {
    ...home,
    id: `${home.id}-elsewhere`,
    issuer: 'gateway.example',
    policies: { ...home.policies, toolIds: { pattern: '', maxLength: 1000 } },
  };
}
