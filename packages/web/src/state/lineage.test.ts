import { expect, test } from 'vitest';
import type { Node } from '../api/types.ts';
import { isInLineage, viewInLineage } from './lineage.ts';

const node = (...threads: (string | undefined)[]) =>
  ({ id: 'n', takes: threads.map((thread, id) => ({ id: String(id), ...(thread && { thread }) })) }) as Node;

test('a message belongs to the conversations that its takes name, and to all where one names none', () => {
  expect(isInLineage(node('a'), ['a'])).toBe(true);
  expect(isInLineage(node('b'), ['a'])).toBe(false);
  expect(isInLineage(node('b', 'a'), ['fork', 'a'])).toBe(true);
  expect(isInLineage(node('b', undefined), ['a'])).toBe(true);
  expect(isInLineage(node('b'), undefined)).toBe(true);
});

test("another conversation's answer of the same words says nothing of this one", () => {
  const both = node('a', 'b');
  const lineage = ['b'];
  expect(viewInLineage(both, lineage).takes.map(({ thread }) => thread)).toEqual(['b']);
  expect(viewInLineage(both, lineage)).toBe(viewInLineage(both, lineage));
  const only = node('b');
  expect(viewInLineage(only, lineage)).toBe(only);
});
