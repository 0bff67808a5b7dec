import { expect, test } from 'vitest';
import { growTopology, readOutline } from './topology.ts';
import { type Node, ROOT } from './types.ts';

const node = (id: string, parent: string, takes: readonly object[] = []) =>
  ({ id, parent, depth: 1, role: 'user', at: 0, removed: false, takes }) as unknown as Node;
const topology = { items: [] };

test('a new node is put where its parent is, also when both are new', () => {
  const before = growTopology(topology, [node('a', ROOT)], true);
  const after = growTopology(before, [node('b', 'a'), node('c', 'b')], false);
  expect(after.items.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(before.items).toHaveLength(1);
});

test('what belongs elsewhere changes nothing', () => {
  const before = growTopology(topology, [node('a', ROOT)], true);
  expect(growTopology(before, [node('x', ROOT)], false)).toBe(before);
  expect(growTopology(before, [node('x', 'y')], true)).toBe(before);
});

test('a node that is there gets the model that is known of it now', () => {
  const before = growTopology(topology, [node('a', ROOT), node('b', 'a')], true);
  const after = growTopology(before, [node('a', ROOT, [{ model: 'm', provider: 'p' }])], true);
  expect(after.items).toMatchObject([{ id: 'a', model: 'm', provider: 'p' }, { id: 'b' }]);
});

test('an outline names parents by their place, across its parts', () => {
  const names = [['m', 'p']] as const;
  const first = {
    ids: ['a', 'b'],
    parents: [-1, 0],
    roles: ['user', 'assistant'],
    at: [1, 2],
    authors: [-1, 0],
    names,
  };
  const second = { ids: ['c'], parents: [1], roles: ['assistant'], at: [3], authors: [0], names: [] };
  expect(readOutline([first, second])).toMatchObject([
    { id: 'a', parent: ROOT, depth: 1 },
    { id: 'b', parent: 'a', depth: 2, model: 'm', provider: 'p' },
    { id: 'c', parent: 'b', depth: 3, model: 'm' },
  ]);
});
