import { expect, test } from 'vitest';
import { fetchPages } from './pages.ts';

const pages = async ({ after = '0' }: { readonly after?: string }) => {
  const at = Number(after);
  return { items: [at, at + 1], ...(at < 4 && { next: String(at + 2) }) };
};

test('all pages, in order', async () => {
  expect(await fetchPages(pages, 100)).toEqual({ items: [0, 1, 2, 3, 4, 5], isCut: false });
});

test('no more than are wanted, and it says so', async () => {
  expect(await fetchPages(pages, 3)).toEqual({ items: [0, 1, 2, 3], isCut: true });
  expect(await fetchPages(pages, 6)).toEqual({ items: [0, 1, 2, 3, 4, 5], isCut: false });
});
