import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { matches } from '../../dialects/provider.ts';
import { FAMILIES } from './families.ts';

export type Modality = 'text' | 'image' | 'audio' | 'video' | 'document';

/** What a model can do. What is not known is absent, never made up. */
export interface ModelInfo {
  /** Whether anything is known of it. Of unknown models we expect text in and out, and no more. */
  readonly known: boolean;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly input: readonly Modality[];
  readonly output: readonly Modality[];
  readonly tools?: boolean;
  readonly reasoning?: boolean;
}

const UNKNOWN: ModelInfo = { known: false, input: ['text'], output: ['text'] };

/** What is known of a model by its name. `modelInfoWithLimits` of `@skein/core/prices` knows the context of single models. */
export function modelInfo(provider: ProviderDescriptor, model: string): ModelInfo {
  // Resellers put the maker in front: `anthropic/claude-sonnet-4.5`, `accounts/fireworks/models/kimi-k3`.
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const family = FAMILIES.find(([patterns]) => patterns.some((pattern) => matches(pattern, name)));
  if (!family) return UNKNOWN;
  const info = { known: true, ...family[1] };
  return { ...info, input: info.input.filter((modality) => takes(provider, modality)) };
}

const SAMPLES: Readonly<Record<Exclude<Modality, 'text'>, RegExp>> = {
  image: /^(image\/|\*)/,
  audio: /^(audio\/|\*)/,
  video: /^(video\/|\*)/,
  document: /^(application\/pdf|\*)/,
};

/** A model sees only what its provider lets through. */
function takes({ policies }: ProviderDescriptor, modality: Modality): boolean {
  return modality === 'text' || policies.media.user.some((type) => SAMPLES[modality].test(type));
}
