import type { ProviderDescriptor } from '../dialects/provider.ts';

/** The providers that are not in the main entry, or come from outside. Apart from the others, so that one can be added alone. */
export const added = /* @__PURE__ */ new Map<string, ProviderDescriptor>();

/** Adds a provider. */
export function addProvider(descriptor: ProviderDescriptor): ProviderDescriptor {
  added.set(descriptor.id, descriptor);
  return descriptor;
}
