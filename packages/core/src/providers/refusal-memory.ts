import type { ProviderDescriptor } from '../dialects/provider.ts';

/** What providers have refused, by model, for as long as the process lives. */
export class RefusalMemory {
  readonly #fields = new Map<string, Set<string>>();

  /** Remembers the fields; false when all of them were known, so that sending again would change nothing. */
  learn({ issuer }: ProviderDescriptor, model: string, fields: readonly string[]): boolean {
    const key = JSON.stringify([issuer, model]);
    const known = this.#fields.get(key) ?? new Set();
    const before = known.size;
    for (const field of fields) known.add(field);
    this.#fields.set(key, known);
    return known.size > before;
  }

  /** The descriptor as it is for that model, by all that was learnt. */
  apply(provider: ProviderDescriptor, model: string): ProviderDescriptor {
    const fields = this.#fields.get(JSON.stringify([provider.issuer, model]));
    return fields ? refusing(provider, [...fields]) : provider;
  }
}

/** A descriptor that refuses these fields as well. */
export function refusing(provider: ProviderDescriptor, fields: readonly string[]): ProviderDescriptor {
  const known = provider.policies.refusedFields;
  const fresh = fields.filter((field) => !known.includes(field));
  if (fresh.length === 0) return provider;
  return { ...provider, policies: { ...provider.policies, refusedFields: [...known, ...fresh] } };
}
