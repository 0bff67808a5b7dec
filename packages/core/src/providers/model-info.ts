import { type ByModel, forModel, type ProviderDescriptor } from '../dialects/provider.ts';

/** A kind of content that a model takes or gives. */
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'document';

/** What a model can do. Unknown facts are absent, never made up. */
export interface ModelInfo {
  /** Whether anything is known of the model. An unknown one is expected to read and write text, and no more. */
  readonly known: boolean;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly input: readonly Modality[];
  readonly output: readonly Modality[];
  readonly tools?: boolean;
  readonly reasoning?: boolean;
}

const UNKNOWN: ModelInfo = { known: false, input: ['text'], output: ['text'] };

/**
 * What is known of a model by its name. `modelInfoWithLimits` of `@skein/core/prices` knows the context of single models.
 *
 * @example
 * const { input } = modelInfo(provider('google'), 'gemini-3.6-flash'); // text, image, audio, video, document
 */
export function modelInfo(provider: ProviderDescriptor, model: string): ModelInfo {
  // Resellers put the maker in front: `anthropic/claude-sonnet-4.5`, `accounts/fireworks/models/kimi-k3`; Bedrock the region,
  // too: `us.anthropic.claude-opus-4-8`.
  const name = model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^(?:[a-z-]+\.)+(?=[a-z])/, '');
  families ??= {
    default: undefined,
    models: FAMILIES.flatMap(([patterns, info]) => patterns.map((pattern) => [pattern, info] as const)),
  };
  const family = forModel(families, name);
  if (!family) return UNKNOWN;
  const info = { known: true, ...family };
  return { ...info, input: info.input.filter((modality) => accepts(provider, modality)) };
}

/** One list of all patterns, made on first use. A run asks for the same model with every request, and `forModel` remembers it. */
let families: ByModel<Family | undefined> | undefined;

const MEDIA_TYPES: Readonly<Record<Exclude<Modality, 'text'>, RegExp>> = {
  image: /^(image\/|\*)/,
  audio: /^(audio\/|\*)/,
  video: /^(video\/|\*)/,
  document: /^(application\/pdf|\*)/,
};

/** A model sees only what its provider passes on. */
function accepts({ policies }: ProviderDescriptor, modality: Modality): boolean {
  return modality === 'text' || policies.media.user.some((type) => MEDIA_TYPES[modality].test(type));
}

type Family = Omit<ModelInfo, 'known'>;

const WITH_IMAGES = ['text', 'image', 'document'] as const;
const GEMINI = ['text', 'image', 'audio', 'video', 'document'] as const;

const text = { input: ['text'], output: ['text'] } as const satisfies Family;
const claude = { input: WITH_IMAGES, output: ['text'], tools: true, contextTokens: 200_000 } as const satisfies Family;
const gpt = { input: WITH_IMAGES, output: ['text'], tools: true } as const satisfies Family;
const gemini = { input: GEMINI, output: ['text'], tools: true } as const satisfies Family;

const nova = { input: ['text', 'image', 'video', 'document'], output: ['text'], tools: true } as const satisfies Family;

const sized = (info: Family, contextTokens: number, maxOutputTokens?: number): Family => ({
  ...info,
  contextTokens,
  ...(maxOutputTokens && { maxOutputTokens }),
});

const textWithTools = { ...text, tools: true } as const satisfies Family;
const thinkingClaude = { ...claude, reasoning: true } as const satisfies Family;
const thinkingGpt = { ...gpt, reasoning: true } as const satisfies Family;
const thinkingText = { ...textWithTools, reasoning: true } as const satisfies Family;
const thinkingEye = { ...thinkingText, input: ['text', 'image'] } as const satisfies Family;

/**
 * Families of models by name, the first match counts. They contain only what their makers say and what a
 * choice can depend on. They are families rather than models, so that a new model of a known family is known. Where the sizes
 * within a family differ, this is the smallest one.
 */
const FAMILIES: readonly (readonly [patterns: readonly string[], info: Family])[] = [
  [['*embed*', '*whisper*', '*transcribe*', '*moderation*', '*tts*', '*ocr*', '*guard*'], { input: [], output: [] }],
  [['claude-2*', 'claude-instant*'], sized(text, 100_000, 4096)],
  [['claude-3-haiku*', 'claude-3-opus*', 'claude-3-sonnet*'], { ...claude, maxOutputTokens: 4096 }],
  [['claude-3-5-*', 'claude-3.5-*'], { ...claude, maxOutputTokens: 8192 }],
  [
    ['claude-opus-4', 'claude-opus-4-0*', 'claude-opus-4-1*', 'claude-opus-4.1*', 'claude-opus-4-20*'],
    { ...thinkingClaude, maxOutputTokens: 32_000 },
  ],
  [
    [
      'claude-3-7-*',
      'claude-3.7-*',
      'claude-*-4-0*',
      'claude-*-4-5*',
      'claude-*-4.5*',
      'claude-sonnet-4',
      'claude-sonnet-4-20*',
    ],
    { ...thinkingClaude, maxOutputTokens: 64_000 },
  ],
  [
    ['claude-opus-4*', 'claude-sonnet-4*', 'claude-opus-5*', 'claude-sonnet-5*', 'claude-fable-5*'],
    sized(thinkingClaude, 1_000_000),
  ],
  [['claude-*'], thinkingClaude],
  [['gpt-image*', 'gpt-*-image*'], { input: ['text', 'image'], output: ['text', 'image'] }],
  [
    ['gpt-audio*', 'gpt-*-audio*'],
    sized({ input: ['text', 'audio'], output: ['text', 'audio'], tools: true }, 128_000, 16_384),
  ],
  [['gpt-realtime*', 'gpt-*-realtime*'], { input: [], output: [] }],
  [['gpt-oss*'], sized(thinkingText, 131_072, 131_072)],
  [['gpt-3.5*'], sized(textWithTools, 16_385, 4096)],
  [['gpt-4', 'gpt-4-0314*', 'gpt-4-0613*'], sized(textWithTools, 8192, 8192)],
  [['gpt-4-32k*'], sized(textWithTools, 32_768, 32_768)],
  [['gpt-4-0*'], sized(textWithTools, 128_000, 4096)],
  [['o1-mini*'], sized(textWithTools, 128_000, 65_536)],
  [['o3-mini*'], sized(textWithTools, 200_000, 100_000)],
  [['gpt-4-*', 'gpt-4o-2024-05-13'], sized(gpt, 128_000, 4096)],
  [['gpt-4.1*'], sized(gpt, 1_047_576, 32_768)],
  [['gpt-4o*', 'gpt-4.5*', 'chatgpt-*'], sized(gpt, 128_000, 16_384)],
  [['gpt-4*'], gpt],
  [['gpt-5*-chat*', 'gpt-5.3'], sized(thinkingGpt, 128_000, 16_384)],
  [['gpt-5-pro*'], sized(thinkingGpt, 400_000, 272_000)],
  [['gpt-5.4', 'gpt-5.4-2*', 'gpt-5.4-pro*', 'gpt-5.5*', 'gpt-5.6*'], sized(thinkingGpt, 1_000_000, 128_000)],
  [['gpt-5*'], sized(thinkingGpt, 400_000, 128_000)],
  [['gpt-6*'], sized(thinkingGpt, 1_000_000)],
  [['o1-preview*'], sized(thinkingGpt, 128_000, 32_768)],
  [['o1*', 'o3*', 'o4*', 'codex-mini*'], sized(thinkingGpt, 200_000, 100_000)],
  [['gpt-*'], thinkingGpt],
  [['gemini-*-image*'], sized({ input: ['text', 'image', 'document'], output: ['text', 'image'] }, 32_768, 32_768)],
  [['gemini-*-live*', 'gemini-live*'], { input: [], output: [] }],
  [['gemini-1.5*', 'gemini-2.0*'], sized(gemini, 1_000_000, 8192)],
  [['gemini-1*'], { ...gemini, maxOutputTokens: 8192 }],
  [['gemini-2.5*', 'gemini-3*', 'gemini-*-latest'], sized({ ...gemini, reasoning: true }, 1_048_576, 65_536)],
  [['gemini-*'], { ...gemini, reasoning: true }],
  [['grok-2-vision*'], sized(thinkingEye, 32_768)],
  [['grok-4*'], sized(thinkingEye, 256_000)],
  [['grok-2*'], sized(textWithTools, 32_768)],
  [['grok-*'], sized(textWithTools, 131_072)],
  [['deepseek-v4*'], sized(thinkingText, 1_000_000)],
  [['deepseek-*'], sized(thinkingText, 64_000)],
  [['kimi-k2-*'], sized(thinkingText, 131_072)],
  [['kimi-k3*'], sized(thinkingEye, 1_000_000)],
  [['kimi-*'], thinkingEye],
  [['glm-*'], sized(thinkingText, 128_000)],
  [['pixtral-*', 'mistral-medium*', 'mistral-small*'], { input: ['text', 'image'], output: ['text'], tools: true }],
  [['voxtral-*'], { input: ['text', 'audio'], output: ['text'] }],
  [['mistral-*', 'ministral-*', 'codestral*', 'devstral*'], textWithTools],
  [['magistral-*'], thinkingText],
  // docs.cohere.com; what a model costs there, and how much of Command A and R it writes at most, could not be checked.
  [['command-a-reasoning*'], sized(thinkingText, 256_000, 32_000)],
  [['command-a-vision*'], sized({ input: ['text', 'image'], output: ['text'] }, 128_000)],
  [['command-a', 'command-a-03-*'], sized(textWithTools, 256_000)],
  [['command-r*'], sized(textWithTools, 128_000)],
  // The sizes of the price list; sources differ on how much they write.
  [['nova-micro*'], sized(textWithTools, 128_000)],
  [['nova-lite*', 'nova-pro*'], sized(nova, 300_000)],
  [['nova-premier*'], sized(nova, 1_000_000)],
  [['nova-2-lite*'], sized({ ...nova, reasoning: true }, 1_000_000)],
  [['llama-4*', 'llama4*'], { input: ['text', 'image'], output: ['text'], tools: true }],
  [['llama-3*', 'llama3*', 'qwen3*', 'qwen-3*'], textWithTools],
];
