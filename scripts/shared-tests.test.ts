import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

const FOLDERS = ['core', 'emulator', 'forest', 'server'].flatMap((name) => [
  `packages/${name}/src/`,
  `packages/${name}/test/`,
]);

function filesIn(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((path) => folder + path);
}

// Test files of these folders share one process and its modules (vitest.config.ts). A hook at the top of a module that
// several of them import would run for the first of them only: use `onTestFinished`, or a function that each test calls.
test('tests that add a provider or a dialect are none of those that share them', () => {
  const adding = FOLDERS.flatMap(filesIn)
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => /\bdefine(Provider|Dialect)\(/.test(readFileSync(root + path, 'utf8')));
  expect(adding).toEqual([
    'packages/core/src/providers/registry.test.ts',
    'packages/core/src/testing/toy-dialect.test.ts',
    'packages/forest/src/engine/own-framing.test.ts',
    'packages/forest/src/record/own-framing.test.ts',
  ]);
});

test('what tests share hooks into none of them by being imported', () => {
  const files = FOLDERS.flatMap(filesIn).filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(100);
  const hooking = files.filter((file) => /^(before|after)(Each|All)\(/m.test(readFileSync(root + file, 'utf8')));
  expect(hooking).toEqual([]);
});
