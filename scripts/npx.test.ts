/** No documented command runs or installs a package of somebody else under a name that people take for ours. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'Dockerfile',
  'deploy/skein.service',
  ...list('docs'),
  ...list('packages'),
];

function list(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return ['node_modules', 'dist', 'dist-node', 'src', 'test'].includes(entry.name) ? [] : list(path);
    return path.endsWith('.md') ? [path] : [];
  });
}

test('npx runs only what a clone has installed, and fetches nothing', () => {
  const installed = new Set(readdirSync(join(root, 'node_modules', '.bin')));
  expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^yes=false$/m);
  const missing = pages.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/(?:^|[`$]|&& )npx ([@\w/-]+)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !installed.has(name))
      .map((name) => `${path}: npx ${name}`),
  );
  expect(missing).toEqual([]);
});

// The page of the package itself is read where it is published.
test('nothing is installed by our names while they are not published', () => {
  const named = pages
    .filter((path) => path !== 'packages/skein/README.md')
    .flatMap((path) =>
      [
        ...readFileSync(join(root, path), 'utf8').matchAll(
          /\bnpm (?:install|i|add|exec|create)\b[^\n`]*?\s(@skein\/\w+|skein)(?![\w/-])/g,
        ),
      ].map(([command]) => `${path}: ${command}`),
    );
  expect(named).toEqual([]);
});
