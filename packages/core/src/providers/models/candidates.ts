/**
 * What is chosen from where nobody names a model, best first. Replace it with `models`: names age faster than
 * libraries.
 */
export const CANDIDATES: readonly string[] = [
  'anthropic/claude-sonnet-5',
  'openai/gpt-5.2',
  'google/gemini-3.6-flash',
  'google/gemini-3.1-flash-image-preview',
  'openai-chat/gpt-audio',
  'openrouter/anthropic/claude-sonnet-4.5',
  'xai/grok-4.3',
  'mistral/mistral-medium-latest',
  'deepseek/deepseek-v4-pro',
  'moonshot/kimi-k3',
  'zai/glm-5.3',
  'groq/openai/gpt-oss-120b',
  'cerebras/gpt-oss-120b',
  'together/meta-llama/Llama-3.3-70B-Instruct-Turbo',
  'fireworks/accounts/fireworks/models/kimi-k3',
];
