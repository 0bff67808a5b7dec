import { expect, test } from 'vitest';
import { pagesOf } from './pages.ts';

const pages = async ({ after = '0' }: { readonly after?: string }) => {
  const at = Number(after);
  return { items: [at, at + 1], ...(at < 4 && { next: String(at + 2) }) };
};

test('all pages, in order', async () => {
  expect(await pagesOf(pages, 100)).toEqual({ items: [0, 1, 2, 3, 4, 5], isCut: false });
});

test('no more than are wanted, and it says so', async () => {
  expect(await pagesOf(pages, 3)).toEqual({ items: [0, 1, 2, 3], isCut: true });
  expect(await pagesOf(pages, 6)).toEqual({ items: [0, 1, 2, 3, 4, 5], isCut: false });
});
