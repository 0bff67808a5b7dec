import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('one letter outside Latin-1 makes engines keep the whole file as two bytes per letter, and read it slower', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    // Takes comments away.
    minifyWhitespace: true,
    charset: 'utf8',
    format: 'esm',
    write: false,
    legalComments: 'none',
  });
  const { text } = outputFiles[0]!;
  expect(text.length).toBeGreaterThan(100_000);
  expect([...text.matchAll(/.{0,40}[^\0-\xff].{0,40}/g)].map(([place]) => place)).toEqual([]);
});
