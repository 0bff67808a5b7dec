import { expect, test } from 'vitest';
import { foldRuns, subtreeSizes } from './fold.ts';
import { railRows } from './rail.ts';
import { buildTree } from './tree.ts';

/** `a>b` is b below a; the order is that of writing. */
function rail(lines: string, path: string, open = '') {
  const items = lines.split(' ').map((line, at) => {
    const [parent = '', id = ''] = line.split('>');
    return { id, parent, at };
  });
  const tree = buildTree(items);
  const rows = railRows({
    tops: foldRuns(tree, (id) => open.includes(id) || path.endsWith(id)),
    sizes: subtreeSizes(tree),
    isOnPath: (id) => path.includes(id),
    isOpen: (id) => open.includes(id),
    timeOf: (id) => tree.nodes.get(id)!.at,
  });
  return rows;
}

const drawn = (rows: ReturnType<typeof rail>) =>
  rows.map(({ fold, lane, hidden }) => `${fold.ids.join('')}${lane}${hidden ? `+${hidden}` : ''}`).join(' ');

test('rows are in the order of writing, whichever branch is on screen, and the path is straight', () => {
  const lines = '>a a>b a>c b>d c>e a>f';
  expect(drawn(rail(lines, 'abd'))).toBe('a0 b0 c1+1 d0 f2');
  expect(drawn(rail(lines, 'ace'))).toBe('a0 b1+1 c0 e0 f2');
  expect(drawn(rail(lines, 'abd', 'c'))).toBe('a0 b0 c1 d0 e1 f2');
});

test('a lane is used again after its branch has ended', () => {
  const lines = '>a a>b a>x b>c c>d c>y d>e';
  expect(drawn(rail(lines, 'abcde', 'c'))).toBe('a0 b0 x1 c0 d0 y1 e0');
});

test('a line leads from every message to the one after it, and passes the rows between', () => {
  const rows = rail('>a a>b b>c a>x', 'abc', 'bc');
  expect(rows[0]!.leaving).toEqual([
    { lane: 0, to: 1 },
    { lane: 1, to: 3 },
  ]);
  expect(rows[1]!.passing).toEqual([{ lane: 1, to: 3 }]);
  expect(rows[3]).toMatchObject({ parent: 0, lane: 1, branch: { index: 1, of: 2 } });
});

test('a message that claims to be older than its parent comes after it', () => {
  const tree = buildTree([
    { id: 'b', parent: 'a', at: 1 },
    { id: 'a', parent: '', at: 9 },
  ]);
  const rows = railRows({
    tops: foldRuns(tree, () => true),
    sizes: subtreeSizes(tree),
    isOnPath: () => true,
    isOpen: () => false,
    timeOf: (id) => tree.nodes.get(id)!.at,
  });
  expect(rows.map(({ fold }) => fold.id)).toEqual(['a', 'b']);
});
