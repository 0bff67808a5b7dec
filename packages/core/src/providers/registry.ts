import { anthropic } from '../dialects/anthropic-messages/provider.ts';
import { google } from '../dialects/google-generatecontent/provider.ts';
import { openaiChatHome } from '../dialects/openai-chat/provider.ts';
import { openai } from '../dialects/openai-responses/provider.ts';
import type { ProviderDescriptor } from '../dialects/provider.ts';
import { SkeinError } from '../error.ts';
import { azureOpenai } from './data/azure-openai.ts';
import { deepseek } from './data/deepseek.ts';
import { groq } from './data/groq.ts';
import { cerebras, fireworks, moonshot, together, xai, zai } from './data/hosted.ts';
import { lmstudio, ollama, openaiCompatible } from './data/local.ts';
import { mistral } from './data/mistral.ts';
import { openrouter } from './data/openrouter.ts';
import { nearest } from './nearest.ts';

const BUILT_IN: readonly ProviderDescriptor[] = [
  openai,
  openaiChatHome,
  anthropic,
  google,
  azureOpenai,
  openrouter,
  deepseek,
  xai,
  groq,
  mistral,
  together,
  fireworks,
  cerebras,
  moonshot,
  zai,
  ollama,
  lmstudio,
  openaiCompatible,
];
const added = /* @__PURE__ */ new Map<string, ProviderDescriptor>();

/** Every provider, built in or added, in the order in which they are preferred. */
export function providers(): readonly ProviderDescriptor[] {
  return [...added.values(), ...BUILT_IN.filter(({ id }) => !added.has(id))];
}

/** The provider of that id or alias. */
export function provider(id: string): ProviderDescriptor {
  const all = providers();
  const found = all.find((one) => one.id === id) ?? all.find((one) => one.aliases?.includes(id));
  if (found) return found;
  throw new UnknownProviderError(
    id,
    all.flatMap((one) => [one.id, ...(one.aliases ?? [])]),
  );
}

/** Adds a provider; one with the id of a built-in takes its place. Its dialect may be defined later. */
export function defineProvider(descriptor: ProviderDescriptor): ProviderDescriptor {
  if (!/^[^\s/]+$/.test(descriptor.id))
    throw new TypeError(`A provider's id is a word without "/": ${JSON.stringify(descriptor.id)}`);
  added.set(descriptor.id, descriptor);
  return descriptor;
}

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
