import { describe, expect, test } from 'vitest';
import { eachFold, type FoldedRun, foldRuns } from './fold.ts';
import { buildTree } from './tree.ts';

const never = () => false;

/** `a>b>c` hangs b below a and c below b. */
function treeOf(...lines: string[]) {
  const items = new Map<string, { id: string; parent: string }>();
  for (const line of lines) {
    const names = line.split('>');
    for (const [index, id] of names.entries())
      if (!items.has(id)) items.set(id, { id, parent: names[index - 1] ?? 'root' });
  }
  return buildTree([...items.values()]);
}

function shown(folds: readonly FoldedRun[]): string {
  return folds
    .map(({ ids, children }) => ids.join('+') + (children.length > 0 ? `(${shown(children)})` : ''))
    .join(' ');
}

describe('folding', () => {
  test('what stands between two ends of a line is one run', () => {
    expect(shown(foldRuns(treeOf('a>b>c>d>e'), never))).toBe('a(b+c+d(e))');
  });

  test('one node alone is not a run', () => {
    expect(shown(foldRuns(treeOf('a>b>c'), never))).toBe('a(b(c))');
  });

  test('a fork, and what follows it, stay', () => {
    expect(shown(foldRuns(treeOf('a>b>c>f>g1>g2>g3>g4', 'f>h'), never))).toBe('a(b+c(f(g1(g2+g3(g4)) h)))');
  });

  test('a kept node parts a run', () => {
    expect(shown(foldRuns(treeOf('a>b>c>d>e>f>g'), (id) => id === 'd'))).toBe('a(b+c(d(e+f(g))))');
  });

  test('a run of which every node is kept is drawn node by node', () => {
    expect(shown(foldRuns(treeOf('a>b>c>d>e'), (id) => 'bcd'.includes(id)))).toBe('a(b(c(d(e))))');
  });

  test('several trees stay in order', () => {
    expect(shown(foldRuns(treeOf('a', 'b>c'), never))).toBe('a b(c)');
  });

  test('a path of a hundred thousand messages overflows nothing', () => {
    const ids = [...Array(100_000).keys()].map(String);
    const tree = buildTree(ids.map((id, index) => ({ id, parent: ids[index - 1] ?? 'root' })));
    expect([...eachFold(foldRuns(tree, never))].map(({ ids: run }) => run.length)).toEqual([1, 99_998, 1]);
    expect([...eachFold(foldRuns(tree, () => true))]).toHaveLength(100_000);
  });
});

test('every node is in exactly one fold', () => {
  const tree = treeOf('a>b>c>d>e>f', 'c>x>y>z>w', 'x>q');
  const all = [...eachFold(foldRuns(tree, never))].flatMap(({ ids }) => ids);
  expect(all.toSorted()).toEqual([...tree.nodes.keys()].toSorted());
});
