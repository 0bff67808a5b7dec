/** The pages of the site link to each other, whatever their places in the repository are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { placePage, stagePage } from './docs-pages.mjs';
import { root } from './setup.mjs';

const paths = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
];

test('every link of a staged page leads to a page of the site', () => {
  const places = new Set(paths.map(placePage));
  const lost = paths.flatMap((path) => {
    const own = placePage(path) ?? '';
    const links = [...stagePage(path, readFileSync(join(root, path), 'utf8')).matchAll(/\]\((\.[^)#\s]+)/g)];
    return links
      .map(([, link = '']) => posix.join(posix.dirname(own), link))
      .filter((target) => !places.has(target) && !target.startsWith('pictures/'))
      .map((target) => `${path}: ${target}`);
  });
  expect(lost).toEqual([]);
});

test('links to sources become text, and code keeps its brackets', () => {
  const text =
    'See [the unit](../../deploy/skein.service), [chat](../chat.md#calls) and [core](../../packages/core).\n```ts\nlist[0](x)\n```\n';
  expect(stagePage('docs/guides/deploy.md', text)).toBe(
    'See the unit, [chat](../chat.md#calls) and [core](../packages/core.md).\n```ts\nlist[0](x)\n```\n',
  );
});
