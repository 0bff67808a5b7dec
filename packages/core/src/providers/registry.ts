import type { ProviderDescriptor } from '../dialects/provider.ts';
import { SkeinError } from '../error.ts';
import { BUILT_IN } from './built-in.ts';

const added = /* @__PURE__ */ new Map<string, ProviderDescriptor>();

/**
 * Every provider, built in or defined, in the order of preference.
 *
 * @example
 * const withKeys = providers().filter((provider) => hasKey(provider));
 */
export function providers(): readonly ProviderDescriptor[] {
  return [...added.values(), ...BUILT_IN.filter(({ id }) => !added.has(id))];
}

/**
 * The provider with that id or alias. Throws an `UnknownProviderError`.
 *
 * @example
 * const { issuer } = provider('anthropic');
 */
export function provider(id: string): ProviderDescriptor {
  const all = providers();
  const found = all.find((one) => one.id === id) ?? all.find((one) => one.aliases?.includes(id));
  if (found) return found;
  throw new UnknownProviderError(
    id,
    all.flatMap((one) => [one.id, ...(one.aliases ?? [])]),
  );
}

/**
 * Adds a provider; one with the id of a built-in provider replaces it. Its dialect may be defined later.
 *
 * @example
 * defineProvider({ ...provider('openai-compatible'), id: 'my-server', issuer: 'llm.example.com' });
 * await run({ model: 'my-server/some-model', baseUrl: 'https://llm.example.com/v1', messages }).text;
 */
export function defineProvider(descriptor: ProviderDescriptor): ProviderDescriptor {
  if (!/^[^\s/]+$/.test(descriptor.id))
    throw new TypeError(
      `The id of a provider must be a word without "/" and spaces, not ${JSON.stringify(descriptor.id)}`,
    );
  added.set(descriptor.id, descriptor);
  return descriptor;
}

/** No provider has that id or alias. */
export class UnknownProviderError extends SkeinError {
  override readonly name = 'UnknownProviderError';
  readonly code = 'unknown_provider';
  readonly nearest: string | undefined;
  readonly known: readonly string[];

  constructor(id: string, known: readonly string[]) {
    const near = nearest(id, known);
    super(`Unknown provider "${id}".${near ? ` Did you mean "${near}"?` : ''} Known: ${known.join(', ')}`);
    this.nearest = near;
    this.known = known;
  }
}

/** A model and the provider that serves it. */
export interface ModelRef {
  readonly provider: ProviderDescriptor;
  readonly model: string;
}

/**
 * Reads `provider/model`. The first slash ends the provider; models may contain slashes.
 *
 * @example
 * const { provider, model } = parseModel('openrouter/anthropic/claude-sonnet-4.5');
 */
export function parseModel(text: string): ModelRef {
  const slash = text.indexOf('/');
  const model = text.slice(slash + 1);
  if (slash < 1 || model.trim() === '') throw new ModelRefError(text);
  return { provider: provider(text.slice(0, slash)), model };
}

/** A text that is not `provider/model`. */
export class ModelRefError extends SkeinError {
  override readonly name = 'ModelRefError';
  readonly code = 'invalid_model';

  constructor(text: string) {
    super(`"${text}" does not name a provider and a model. Write "provider/model", such as "openai/gpt-5.2".`);
  }
}

/**
 * The known name that is closest to a misspelt one; undefined when none is close.
 *
 * @example
 * nearest('antropic', ['anthropic', 'openai']); // 'anthropic'
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 2)) + 1;
  for (const candidate of known) {
    // A name with something left out or added (`open-router`, `google-ai`) is closer than its edit distance says.
    const contained = wanted.length > 2 && (candidate.includes(wanted) || wanted.includes(candidate));
    const distance = contained ? 1 : editDistance(wanted, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
