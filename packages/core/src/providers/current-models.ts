/**
 * Models that are current. This is the one place that says so: the demo, messages and `selectModel` use these names, and a test
 * finds every other name in the documentation and the examples.
 *
 * @example
 * const answer = await run({ model: currentModels.anthropic, messages: [user('Hello')] }).text;
 */
export const currentModels = {
  anthropic: 'anthropic/claude-sonnet-5',
  anthropicLarge: 'anthropic/claude-opus-5-5',
  openai: 'openai/gpt-5.5',
  openaiSmall: 'openai/gpt-5.4-mini',
  google: 'google/gemini-3.6-flash',
  googleImage: 'google/gemini-3.1-flash-image-preview',
} as const;
