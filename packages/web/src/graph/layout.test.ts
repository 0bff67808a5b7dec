import { describe, expect, test } from 'vitest';
import { type FoldedRun, foldRuns } from './fold.ts';
import { CARD_HEIGHT, CARD_WIDTH, cardAt, cardsBetween, layOut } from './layout.ts';
import { buildTree } from './tree.ts';

/** A tree in which every node has `width` children, and every node is drawn. */
function wide(width: number, depth: number): readonly FoldedRun[] {
  const items = [{ id: '0', parent: 'root' }];
  for (let level = ['0'], left = depth; left > 0; left -= 1) {
    level = level.flatMap((parent) => [...Array(width).keys()].map((index) => `${parent}.${index}`));
    items.push(...level.map((id) => ({ id, parent: id.slice(0, id.lastIndexOf('.')) })));
  }
  return foldRuns(buildTree(items), () => true);
}

describe('the layout', () => {
  const layout = layOut(wide(3, 5));

  test('has every node once', () => {
    expect(layout.placed).toHaveLength(364);
    expect(layout.of.size).toBe(364);
  });

  test('no card touches another', () => {
    for (const left of new Set(layout.placed.map(({ x }) => x))) {
      const heights = layout.placed.filter(({ x }) => x === left).map(({ y }) => y);
      for (const [index, y] of heights.entries())
        if (index > 0) expect(y - heights[index - 1]!).toBeGreaterThan(CARD_HEIGHT);
    }
  });

  test('children stand to the right of their parent, in their order', () => {
    for (const { x, children } of layout.placed) {
      for (const child of children) expect(child.x).toBeGreaterThan(x + CARD_WIDTH);
      expect(children.map(({ y }) => y)).toEqual(children.map(({ y }) => y).toSorted((a, b) => a - b));
    }
  });

  test('a card is found where it is drawn, and nowhere else', () => {
    const { x, y, fold } = layout.of.get('0.1.2')!;
    expect(cardAt(layout, x + 1, y)?.fold).toBe(fold);
    expect(cardAt(layout, x - 1, y)).toBeUndefined();
    expect(cardAt(layout, x + 1, y + CARD_HEIGHT / 2 + 1)?.fold).not.toBe(fold);
  });

  test('what is between two heights is what a search through all finds', () => {
    const found = cardsBetween(layout.placed, 100, 500).map(({ fold }) => fold.id);
    const all = layout.placed.filter(({ y }) => y >= 100 - CARD_HEIGHT && y < 500 + CARD_HEIGHT);
    expect(found).toEqual(all.map(({ fold }) => fold.id));
    expect(found.length).toBeGreaterThan(0);
  });
});

test('an empty forest has an empty layout', () => {
  expect(layOut([]).placed).toEqual([]);
});

test('a run is found by any of its nodes', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const layout = layOut(
    foldRuns(buildTree(ids.map((id, index) => ({ id, parent: ids[index - 1] ?? 'root' }))), () => false),
  );
  expect(layout.of.get('c')).toBe(layout.of.get('b'));
  expect(layout.placed).toHaveLength(3);
});

test('many trees are set in columns, none over another', () => {
  const leaf = (id: string): FoldedRun => ({ id, ids: [id], children: [] });
  const tops = [...Array(60).keys()].map((at) => ({ ...leaf(`t${at}`), children: [leaf(`a${at}`), leaf(`b${at}`)] }));
  const { trees, right, bottom, of } = layOut(tops);
  expect(new Set(trees.map(({ left }) => left)).size).toBeGreaterThan(3);
  expect(right / bottom).toBeGreaterThan(0.8);
  for (const a of trees)
    for (const b of trees)
      if (a !== b) expect(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top).toBe(true);
  for (const { id, left, top, right: edge, bottom: end } of trees)
    for (const { x, y } of [of.get(id)!, ...of.get(id)!.children]) {
      expect(x >= left && x + CARD_WIDTH <= edge).toBe(true);
      expect(y - CARD_HEIGHT / 2 >= top && y + CARD_HEIGHT / 2 <= end).toBe(true);
    }
});
