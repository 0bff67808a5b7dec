import type { ApiDifferences } from './rule.ts';

/** What the compatible providers of the corpus take beyond OpenAI's chat completions. */
export const chatDifferences: Readonly<Record<string, ApiDifferences>> = {
  cerebras: { extra: ['clear_thinking'] },
  groq: { extra: ['reasoning_format', 'search_settings'] },
  huggingface: { extra: ['messages.tool_calls', 'messages.name'], without: ['tools-empty'] },
  mistral: {
    extra: ['messages.prefix', 'messages.tool_calls.index', 'messages.content:document_url'],
    without: ['tool-type', 'content-empty'],
  },
  ollama: { extra: ['messages.reasoning'] },
  openrouter: {
    extra: [
      'models',
      'provider',
      'reasoning',
      'transforms',
      'tools:openrouter:advisor',
      'tools.cache_control',
      'tools.eager_input_streaming',
      'messages.content.cache_control',
    ],
    without: ['tool-id-long'],
  },
  snowflake: { extra: ['reasoning', 'messages.reasoning_details'] },
  zai: { extra: ['thinking', 'messages.reasoning_content'] },
};

/** The same for the Responses API. */
export const responsesDifferences: Readonly<Record<string, ApiDifferences>> = {
  // DeepSeek's reasoning items stand on their own, under ids of any form.
  deepseek: { without: ['id-prefix', 'id-chars', 'reasoning-following'] },
  openrouter: { extra: ['provider'] },
};
