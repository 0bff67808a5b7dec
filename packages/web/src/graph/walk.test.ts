import { expect, test } from 'vitest';
import { foldRuns } from './fold.ts';
import { layOut, stepFrom } from './layout.ts';
import { buildTree } from './tree.ts';

//  a ┬ b ─ b1
//    ├ c
//    └ d ─ d1
const items = ['a:root', 'b:a', 'c:a', 'd:a', 'b1:b', 'd1:d'].map((each) => {
  const [id = '', parent = ''] = each.split(':');
  return { id, parent };
});
const layout = layOut(foldRuns(buildTree(items), () => true));
const from = (id: string) => layout.of.get(id)!;
const never = () => false;

test('right goes to a child, and along the path where there is one', () => {
  expect(stepFrom(layout, from('a'), 'ArrowRight', never).fold.id).toBe('c');
  expect(stepFrom(layout, from('a'), 'ArrowRight', (id) => id === 'd').fold.id).toBe('d');
  expect(stepFrom(layout, from('c'), 'ArrowRight', never).fold.id).toBe('c');
});

test('left goes to the parent', () => {
  expect(stepFrom(layout, from('d1'), 'ArrowLeft', never).fold.id).toBe('d');
  expect(stepFrom(layout, from('a'), 'ArrowLeft', never).fold.id).toBe('a');
});

test('up and down stay in the column, also from one family to the next', () => {
  expect(stepFrom(layout, from('b'), 'ArrowDown', never).fold.id).toBe('c');
  expect(stepFrom(layout, from('b1'), 'ArrowDown', never).fold.id).toBe('d1');
  expect(stepFrom(layout, from('b'), 'ArrowUp', never).fold.id).toBe('b');
});
