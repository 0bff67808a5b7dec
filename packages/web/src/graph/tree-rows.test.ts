import { expect, test } from 'vitest';
import { foldRuns, subtreeSizes, treeRows } from './fold.ts';
import { buildTree } from './tree.ts';

//  a ─ b ─ f ┬ p1 ─ p2        the path ends at p2
//            ├ q1 ─ q2 ─ q3 ─ q4
//            └ r1
const tree = buildTree(
  ['a', 'b:a', 'f:b', 'p1:f', 'p2:p1', 'q1:f', 'q2:q1', 'q3:q2', 'q4:q3', 'r1:f'].map((each) => {
    const [id, parent = 'root'] = each.split(':');
    return { id: id!, parent };
  }),
);
const path = new Set(['a', 'b', 'f', 'p1', 'p2']);

function lines(open: readonly string[] = []) {
  const rows = treeRows(
    foldRuns(tree, () => false),
    subtreeSizes(tree),
    (id) => path.has(id),
    (id) => open.includes(id),
  );
  return rows.map(
    ({ fold, level, hidden }) => `${' '.repeat(level)}${fold.ids.join('+')}${hidden ? ` (${hidden})` : ''}`,
  );
}

test('the path runs straight down, and other branches are one line each', () => {
  expect(lines()).toEqual(['a', 'b', 'f', ' q1 (3)', ' r1', 'p1', 'p2']);
});

test('a branch that is opened shows what is in it', () => {
  expect(lines(['q1'])).toEqual(['a', 'b', 'f', ' q1', ' q2+q3', ' q4', ' r1', 'p1', 'p2']);
});

test('only branches with something in them can be opened', () => {
  const rows = treeRows(
    foldRuns(tree, () => false),
    subtreeSizes(tree),
    (id) => path.has(id),
    () => false,
  );
  expect(rows.filter(({ isOpen }) => isOpen !== undefined).map(({ fold }) => fold.id)).toEqual(['q1']);
});

test('sizes count everything below', () => {
  const sizes = subtreeSizes(tree);
  expect([sizes.get('a'), sizes.get('f'), sizes.get('q1'), sizes.get('r1')]).toEqual([10, 8, 4, 1]);
});
