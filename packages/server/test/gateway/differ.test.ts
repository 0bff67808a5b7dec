import { expect, test } from 'vitest';
import { doubled, type Mark, misplaced, silentLosses } from './differ.ts';

const MARKS: readonly Mark[] = [
  { kind: 'content', name: 'question', value: 'Kq1question' },
  { kind: 'content', name: 'call', value: 'Kq2city' },
  { kind: 'content', name: 'result', value: 'Kq3result' },
  { kind: 'parameter', name: 'temperature', value: 0.37 },
  { kind: 'parameter', name: 'top_p', value: 0.81 },
  { kind: 'opaque', name: 'signature', value: 'c2lnbmF0dXJl' },
  { kind: 'reasoning', name: 'thought', value: 'Kq4thought' },
];

const sent = {
  temperature: 0.37,
  nucleus: { top_p: 0.81 },
  messages: [
    { role: 'user', content: 'I ask: Kq1question' },
    { role: 'assistant', thought: 'Kq4thought', signature: 'c2lnbmF0dXJl', call: '{"city":"Kq2city"}' },
    { role: 'tool', content: 'Kq3result' },
  ],
};
const body = JSON.stringify(sent);

test('what gets through is no loss, wherever it stands and whatever it is part of', () => {
  expect(silentLosses(MARKS, body, [])).toEqual([]);
  expect(misplaced(MARKS, body)).toEqual([]);
  expect(doubled(MARKS, body)).toEqual([]);
});

test.each(MARKS)('a planted loss is found: $kind $name', ({ name, value }) => {
  const without = body.replace(String(value), typeof value === 'number' ? '0' : 'x');
  expect(silentLosses(MARKS, without, [])).toEqual([expect.stringContaining(name)]);
});

test('a loss that is reported is not silent; one that is reported of something else is', () => {
  const without = JSON.stringify({ ...sent, temperature: undefined, nucleus: undefined });
  const told = { kind: 'dropped', path: 'temperature', reason: 'parameter' };
  expect(silentLosses(MARKS, without, [told])).toEqual([expect.stringContaining('top_p')]);
  expect(silentLosses(MARKS, without, [told, { ...told, path: 'generation.top_p' }])).toEqual([]);
  expect(silentLosses(MARKS, without, [{ ...told, kind: 'synthesised' }])).toHaveLength(2);
});

test('reasoning that stays behind is told as such, and bound bytes as bound', () => {
  const without = body.replace('c2lnbmF0dXJl', '').replace('Kq4thought', '');
  const foreign = { kind: 'dropped', path: '', reason: 'foreign-reasoning' };
  expect(silentLosses(MARKS, without, [foreign])).toEqual([expect.stringContaining('signature')]);
  expect(silentLosses(MARKS, without, [foreign, { ...foreign, reason: 'prefix-bound' }])).toEqual([]);
});

test('a demand is met or refused, and never merely reported', () => {
  const demand: Mark = { kind: 'demand', name: 'text.format', value: 'Kq5property' };
  expect(silentLosses([demand], body, [{ kind: 'dropped', path: 'text.format', reason: 'parameter' }])).toHaveLength(1);
});

test('a text in two parts is there', () => {
  const parts = { parts: [{ text: 'I ask: Kq1que' }, { text: 'stion' }] };
  expect(silentLosses(MARKS.slice(0, 1), JSON.stringify(parts), [])).toEqual([]);
});

test('messages in another order and messages that are there twice are found', () => {
  const swapped = JSON.stringify({ ...sent, messages: sent.messages.toReversed() });
  expect(misplaced(MARKS, swapped)).not.toEqual([]);
  const twice = JSON.stringify({ ...sent, messages: [...sent.messages, sent.messages[0]] });
  expect(doubled(MARKS, twice)).toEqual([expect.stringContaining('question')]);
});
