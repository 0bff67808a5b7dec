/** Requests for the tests. */
import type { JudgedRequest, Memory } from '../verdict.ts';

export type Body = Record<string, unknown>;

export const user = (...parts: Body[]) => ({ role: 'user', parts });
export const model = (...parts: Body[]) => ({ role: 'model', parts });
export const text = (value: string) => ({ text: value });
export const call = (name: string, more: Body = {}) => ({
  functionCall: { name, args: {} },
  thoughtSignature: 'c2ln',
  ...more,
});
export const sibling = (name: string) => ({ functionCall: { name, args: {} } });
export const response = (name: string, more: Body = {}) => ({ functionResponse: { name, response: {}, ...more } });
export const says = (...contents: Body[]) => ({ contents });
export const hello = user(text('hello'));

export const memory: Memory = {
  issued: (value) => (value === 'c2ln' ? { model: 'gemini-3-pro-preview', text: 'f' } : undefined),
  stored: () => false,
  ownField: (path) => path === 'parts.functionCall.mood',
};
export const request = (body: Body | JudgedRequest, more: Partial<JudgedRequest> = {}): JudgedRequest =>
  typeof body.body === 'string'
    ? (body as unknown as JudgedRequest)
    : { body: JSON.stringify(body), model: 'gemini-3-pro-preview', ...more };
