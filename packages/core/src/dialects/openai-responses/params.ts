import type { SimpleNames } from '../simple-params.ts';

/** How tools are chosen and how much is thought has no plain word: when read, it stays in `rest`. */
export const SIMPLE: SimpleNames = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stream: 'stream',
  parallelToolCalls: 'parallel_tool_calls',
};
