import { dialect, sse } from '@skein/core';
import { expect, test } from 'vitest';
import { createResponseIdReader, readReply, readResponseId } from './read-exchange.ts';

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

const chunk = (content: string) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, delta: { content } }] })}\n\n`;

test('a response that is not decoded yet is read as its text is', () => {
  const chat = dialect('openai-chat');
  const whole = JSON.stringify({ id: 'x', choices: [{ message: { role: 'assistant', content: `${long} — 😀` } }] });
  const words = Array.from({ length: 3000 }, (_, at) => chunk(`word ${at} — 😀 `));
  for (const text of [whole, `\n ${whole}`, [...words, 'data: [DONE]\n\n'].join(''), words.join('').slice(0, -6)]) {
    const { message, stop, envelope } = readReply(chat, sse, text, {});
    const ofBytes = readReply(chat, sse, Buffer.from(text), {});
    expect(ofBytes.message.raw).toBe(message.raw);
    expect([ofBytes.stop, ofBytes.envelope]).toEqual([stop, envelope]);
  }
});

test('the id of a response that is not decoded yet is the same as that of its text', () => {
  const chat = dialect('openai-chat');
  for (const id of ['chatcmpl-1', 'é-東京'])
    for (const choices of [[], [`${long} — 😀`]])
      expect(readResponseId(chat, Buffer.from(JSON.stringify({ choices, id })))).toBe(id);
  const stream = Buffer.from(`${`: ${'—'.repeat(100)}\n\n`.repeat(50)}${chunk('Hi')}`);
  expect(createResponseIdReader(chat, undefined)(stream)).toBe('chatcmpl-1');
});
