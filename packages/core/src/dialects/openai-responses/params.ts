import type { SimpleNames } from '../simple-params.ts';

export const SIMPLE: SimpleNames = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stream: 'stream',
  parallelToolCalls: 'parallel_tool_calls',
};
