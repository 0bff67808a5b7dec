import { expect, test } from 'vitest';
import type { Block, Node } from '../../api/types.ts';
import { pairCalls } from './pair-calls.ts';

function node(role: Node['role'], ...content: Block[]): Node {
  return { id: Math.random().toString(36), role, content } as unknown as Node;
}

const call = (id: string, name: string): Block => ({ type: 'tool-use', id, name, rawParameters: '{}' });
const result = (toolCallId: string): Block => ({ type: 'tool-result', toolCallId, content: [], isError: false });
const text: Block = { type: 'text', text: 'said' };

test('results stand with their calls, also when they come in separate messages or with text', () => {
  const path = [
    node('user', text),
    node('assistant', call('1', 'f'), call('2', 'g')),
    node('tool', result('1')),
    node('user', result('2'), text),
  ];
  const pairs = pairCalls(path);
  expect([...pairs[1]!.results!.keys()]).toEqual(['1', '2']);
  expect(pairs[2]!.shown).toEqual(new Map([['1', 'f']]));
  expect(pairs[3]!.shown).toEqual(new Map([['2', 'g']]));
});

test('the same id in a later turn is another call', () => {
  const turn = () => [node('assistant', call('call_0', 'f')), node('tool', result('call_0'))];
  const pairs = pairCalls([...turn(), ...turn(), node('assistant', call('call_0', 'f'))]);
  expect(pairs.map((pair) => pair.results?.size)).toEqual([1, undefined, 1, undefined, 0]);
});

test('a result without its call is not hidden', () => {
  expect(pairCalls([node('tool', result('9'))])[0]!.shown).toBeUndefined();
});

test('nothing is made anew while the messages are the same', () => {
  const path = [node('assistant', call('1', 'f')), node('tool', result('1'))];
  expect(pairCalls([...path])[0]!.results).toBe(pairCalls([...path])[0]!.results);
});
