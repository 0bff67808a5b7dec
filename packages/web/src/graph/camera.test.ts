import { expect, test } from 'vitest';
import { center, fillView, fit, reveal, zoom } from './camera.ts';
import { layOut } from './layout.ts';

const size = { width: 800, height: 600 };
const leaf = (id: string) => ({ id, ids: [id], children: [] });
const many = layOut([{ id: 'r', ids: ['r'], children: [...Array(200).keys()].map((index) => leaf(String(index))) }]);

test('all of a tall forest fits', () => {
  const { scale, top } = fit(many, size);
  expect(many.top * scale + top).toBeGreaterThanOrEqual(0);
  expect(many.bottom * scale + top).toBeLessThanOrEqual(size.height);
});

test('one card is not blown up', () => {
  expect(fit(layOut([leaf('a')]), size).scale).toBe(1);
});

test('the point under the pointer stays there', () => {
  const before = { left: 13, top: -70, scale: 0.5 };
  const after = zoom(before, 1.7, 300, 200);
  expect((300 - after.left) / after.scale).toBeCloseTo((300 - before.left) / before.scale);
  expect((200 - after.top) / after.scale).toBeCloseTo((200 - before.top) / before.scale);
});

test('a card that is seen moves nothing, another is brought in', () => {
  const camera = { left: 100, top: 300, scale: 1 };
  const [first, last] = [many.placed[0]!, many.placed.at(-1)!];
  expect(reveal(camera, { ...first, y: 0 }, size)).toEqual(camera);
  const moved = reveal(camera, last, size);
  expect(last.y * moved.scale + moved.top).toBeLessThan(size.height);
});

test('a forest larger than the screen leaves none of it empty at first', () => {
  const middle = many.placed[100]!;
  const camera = center({ left: 0, top: 0, scale: 1 }, middle, size);
  const filledMiddle = fillView(camera, many, size);
  expect(filledMiddle.top).toBe(camera.top);
  expect(many.left + filledMiddle.left).toBeCloseTo(size.width - many.right - filledMiddle.left);
  const first = fillView(center(camera, many.placed[0]!, size), many, size);
  expect(many.top + first.top).toBe(32);
  const last = fillView(center(camera, many.placed.at(-1)!, size), many, size);
  expect(many.bottom + last.top).toBe(size.height - 32);
});
