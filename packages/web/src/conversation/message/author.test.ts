/** Who is named above a message. */
import { expect, test } from 'vitest';
import type { Node } from '../../api/types.ts';
import { continuedAnswers } from './author.ts';

const answer = (id: string, model: string, provider = 'openai') =>
  ({
    id,
    role: 'assistant',
    content: [{ type: 'text', text: id }],
    takes: [{ author: 'model', model, provider }],
  }) as unknown as Node;
const result = { id: 'r', role: 'user', content: [{ type: 'tool-result' }], takes: [] } as unknown as Node;
const question = { id: 'q', role: 'user', content: [{ type: 'text', text: 'And?' }], takes: [] } as unknown as Node;

test('a model is named once for what it writes between results of its tools', () => {
  const path = [question, answer('a', 'gpt-5'), result, answer('b', 'gpt-5'), question, answer('c', 'gpt-5')];
  expect([...continuedAnswers(path)]).toEqual(['b']);
});

test('another model is named, and so is one whose name nobody knows', () => {
  const unknown = { ...answer('c', 'gpt-5'), takes: [] } as unknown as Node;
  expect([...continuedAnswers([answer('a', 'gpt-5'), result, answer('b', 'o3'), unknown, unknown])]).toEqual([]);
});

test('the same model of another provider is named', () => {
  expect([...continuedAnswers([answer('a', 'gpt-5'), result, answer('b', 'gpt-5', 'azure')])]).toEqual([]);
});

test('an answer that grows goes on where the same model left off', () => {
  const path = [question, answer('a', 'gpt-5'), result];
  expect([...continuedAnswers(path, 'openai/gpt-5')]).toEqual(['']);
  expect([...continuedAnswers(path, 'openai/o3')]).toEqual([]);
  expect([...continuedAnswers([...path, question], 'openai/gpt-5')]).toEqual([]);
});
