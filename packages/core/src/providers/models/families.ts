import type { ModelInfo } from './model-info.ts';

type Family = Omit<ModelInfo, 'known'>;

const SEEING = ['text', 'image', 'document'] as const;
const GEMINI = ['text', 'image', 'audio', 'video', 'document'] as const;

const text = { input: ['text'], output: ['text'] } as const satisfies Family;
const claude = { input: SEEING, output: ['text'], tools: true } as const satisfies Family;
const gpt = { input: SEEING, output: ['text'], tools: true } as const satisfies Family;
const gemini = { input: GEMINI, output: ['text'], tools: true } as const satisfies Family;

/**
 * Families of models by name, the first match counts. Only what their makers say, and only what a choice can depend
 * on; families rather than models, so that a new model of a known family is known.
 */
export const FAMILIES: readonly (readonly [patterns: readonly string[], info: Family])[] = [
  [['*embed*', '*whisper*', '*transcribe*', '*moderation*', '*tts*', '*ocr*', '*guard*'], { input: [], output: [] }],
  [['claude-2*', 'claude-instant*'], text],
  [['claude-3-haiku*', 'claude-3-opus*', 'claude-3-sonnet*'], { ...claude, maxOutputTokens: 4096 }],
  [['claude-3-5-*', 'claude-3.5-*'], { ...claude, maxOutputTokens: 8192 }],
  [
    ['claude-opus-4-0*', 'claude-opus-4-1*', 'claude-opus-4.1*', 'claude-opus-4-20*'],
    { ...claude, maxOutputTokens: 32_000, reasoning: true },
  ],
  [
    ['claude-3-7-*', 'claude-*-4-0*', 'claude-*-4-5*', 'claude-sonnet-4-20*'],
    { ...claude, maxOutputTokens: 64_000, reasoning: true },
  ],
  [['claude-*'], { ...claude, reasoning: true }],
  [['gpt-image*', 'gpt-*-image*'], { input: ['text', 'image'], output: ['text', 'image'] }],
  [['gpt-audio*', 'gpt-*-audio*'], { input: ['text', 'audio'], output: ['text', 'audio'], tools: true }],
  [['gpt-realtime*', 'gpt-*-realtime*'], { input: [], output: [] }],
  [['gpt-oss*'], { ...text, tools: true, reasoning: true }],
  [['gpt-3.5*', 'gpt-4', 'gpt-4-0*', 'gpt-4-32k*', 'o1-mini*', 'o3-mini*'], { ...text, tools: true }],
  [['gpt-4*', 'chatgpt-*'], gpt],
  [['gpt-*', 'o1*', 'o3*', 'o4*'], { ...gpt, reasoning: true }],
  [['gemini-*-image*'], { input: ['text', 'image', 'document'], output: ['text', 'image'] }],
  [['gemini-*-live*', 'gemini-live*'], { input: [], output: [] }],
  [['gemini-1*', 'gemini-2.0*'], { ...gemini, maxOutputTokens: 8192 }],
  [['gemini-2.5*', 'gemini-3*'], { ...gemini, maxOutputTokens: 65_536, reasoning: true }],
  [['gemini-*'], { ...gemini, reasoning: true }],
  [['grok-2-vision*', 'grok-4*'], { input: ['text', 'image'], output: ['text'], tools: true, reasoning: true }],
  [['grok-*'], { ...text, tools: true }],
  [['deepseek-*', 'kimi-k2-*', 'glm-4.5', 'glm-4.6', 'glm-4.7'], { ...text, tools: true, reasoning: true }],
  [['kimi-*'], { input: ['text', 'image'], output: ['text'], tools: true, reasoning: true }],
  [['glm-*'], { ...text, tools: true, reasoning: true }],
  [['pixtral-*', 'mistral-medium*', 'mistral-small*'], { input: ['text', 'image'], output: ['text'], tools: true }],
  [['voxtral-*'], { input: ['text', 'audio'], output: ['text'] }],
  [['mistral-*', 'ministral-*', 'codestral*', 'devstral*'], { ...text, tools: true }],
  [['magistral-*'], { ...text, tools: true, reasoning: true }],
  [['llama-4*'], { input: ['text', 'image'], output: ['text'], tools: true }],
  [['llama-3*', 'llama3*', 'qwen3*', 'qwen-3*'], { ...text, tools: true }],
];
