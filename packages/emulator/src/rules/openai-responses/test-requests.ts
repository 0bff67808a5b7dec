import type { ResponsesMemory } from './context.ts';

/** The smallest parts of Responses requests, for the tests. */
export const user = { role: 'user', content: 'Hi' };
export const says = (id?: string) => ({
  type: 'message',
  role: 'assistant',
  ...(id && { id, status: 'completed' }),
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
});
export const thinks = (id: string, encrypted_content?: string) => ({
  type: 'reasoning',
  id,
  summary: [],
  ...(encrypted_content && { encrypted_content }),
});
export const call = (fields: object = {}) => ({
  type: 'function_call',
  call_id: 'call_1',
  name: 'f',
  arguments: '{}',
  ...fields,
});
export const result = (fields: object = {}) => ({
  type: 'function_call_output',
  call_id: 'call_1',
  output: 'ok',
  ...fields,
});
export const create = (input: unknown, more: object = {}) => ({ model: 'gpt-5', input, ...more });
export const image = { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'auto' };
export const file = (mime: string) => ({ type: 'input_file', filename: 'a', file_data: `data:${mime};base64,AAAA` });

export const memory: ResponsesMemory = {
  issued: (value) => (value === 'secret' ? { model: 'gpt-5' } : undefined),
  stored: (id) => ['rs_1', 'msg_1', 'fc_1', 'resp_1'].includes(id),
  ownField: () => false,
  following: (id) => (id === 'rs_1' ? 'msg_1' : undefined),
  reasoningOf: (id) => (id === 'fc_1' ? 'rs_1' : undefined),
  openCalls: (id) => (id === 'resp_1' ? ['call_7'] : []),
};
