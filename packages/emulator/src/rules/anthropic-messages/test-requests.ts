/** One good and one bad request per rule; used by the tests only. */
import type { Json } from '../../json.ts';
import type { JudgedRequest } from '../verdict.ts';

export interface Case {
  readonly good: JudgedRequest;
  readonly bad: JudgedRequest;
  readonly message: string | RegExp;
  readonly status?: number;
  /** The `error_code` in the details. */
  readonly code?: string;
  /** Broken, but only a warning. */
  readonly unsure?: boolean;
}
export type Cases = Readonly<Record<string, Case>>;

export const OLD = 'claude-sonnet-4-5';
export const NEW = 'claude-opus-5-5';

export const text = (value: string, more: Json = {}): Json => ({ type: 'text', text: value, ...more });
export const user = (...content: Json[]): Json => ({ role: 'user', content });
export const assistant = (...content: Json[]): Json => ({ role: 'assistant', content });
export const system = (...content: Json[]): Json => ({ role: 'system', content });
export const hello = user(text('hello'));

export const toolUse = (id: string, more: Json = {}): Json => ({ type: 'tool_use', id, name: 'f', input: {}, ...more });
export const toolResult = (id: string, more: Json = {}): Json => ({ type: 'tool_result', tool_use_id: id, ...more });
export const search = (id: string): Json => ({ type: 'server_tool_use', id, name: 'web_search', input: {} });
export const found = (id: string, encrypted_content = 'enc'): Json => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: [{ type: 'web_search_result', encrypted_content, title: 't', url: 'u' }],
});
export const thinking = (signature: string, more: Json = {}): Json => ({
  type: 'thinking',
  thinking: 'hm',
  signature,
  ...more,
});

export const send = (body: Json, more: Partial<JudgedRequest> = {}): JudgedRequest => ({
  body: JSON.stringify({ model: OLD, max_tokens: 4096, messages: [hello], ...body }),
  ...more,
});
export const says = (...messages: Json[]): JudgedRequest => send({ messages });
