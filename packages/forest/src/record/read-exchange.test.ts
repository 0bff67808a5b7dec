import { dialect } from '@skein/core';
import { expect, test } from 'vitest';
import { readResponseId } from './read-exchange.ts';

const long = 'x'.repeat(10_000);

test('the id of a response is found beside long members, and in a long object', () => {
  const id = (name: string, value: unknown) => readResponseId(dialect(name), JSON.stringify(value));
  expect(id('openai-chat', { choices: [long], id: 'chatcmpl-1' })).toBe('chatcmpl-1');
  expect(id('openai-responses', { type: 'response.created', response: { tools: [long], id: 'resp_1' } })).toBe(
    'resp_1',
  );
  expect(id('openai-chat', { choices: [long], nested: { id: 'no' } })).toBeUndefined();
});

test('a response that is not complete names no id', () => {
  const text = JSON.stringify({ id: 'chatcmpl-1', choices: [long] });
  expect(readResponseId(dialect('openai-chat'), text.slice(0, -1))).toBeUndefined();
});
