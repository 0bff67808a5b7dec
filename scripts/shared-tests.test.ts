import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

const FOLDERS = ['core', 'emulator', 'forest', 'server'].flatMap((name) => [
  `packages/${name}/src/`,
  `packages/${name}/test/`,
]);

// Test files of these folders share one process and its modules (vitest.config.ts). A hook at the top of a module that
// several of them import would be there for the first of them only: `onTestFinished` is for that, or a function to call.
test('what tests share hooks into none of them by being imported', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => folder + path),
  );
  expect(files.length).toBeGreaterThan(100);
  const hooking = files.filter((file) => /^(before|after)(Each|All)\(/m.test(readFileSync(root + file, 'utf8')));
  expect(hooking).toEqual([]);
});
