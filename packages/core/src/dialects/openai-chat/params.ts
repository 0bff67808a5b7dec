import type { SimpleNames } from '../simple-params.ts';

/**
 * The older name of the token limit is `max_tokens`; many compatible providers know only that. How tools are chosen and
 * how much is thought has no plain word: when read, it stays in `rest`.
 */
export const SIMPLE = {
  maxTokens: 'max_completion_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop',
  seed: 'seed',
  stream: 'stream',
  parallelToolCalls: 'parallel_tool_calls',
} satisfies SimpleNames;
