import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findViolations, type Manifest, type Repository } from './layers.ts';
import { root } from './setup.mjs';

describe('imports of this repository', () => {
  const repository = readRepository();

  test('every package was looked at', () => {
    expect([...repository.manifests.keys()]).toEqual(
      expect.arrayContaining(['', 'packages/core', 'packages/emulator']),
    );
    expect([...repository.files.keys()]).toContain('packages/core/src/index.ts');
  });

  test('all of them point the right way', () => {
    expect(findViolations(repository)).toEqual([]);
  });
});

describe('a wrong import is seen', () => {
  test('from a lower folder to a higher one', () => {
    expect(check({ 'src/json/parse.ts': `import type { Message } from '../message/message.ts'` })).toEqual([
      'packages/core/src/json/parse.ts: imports packages/core/src/message/message.ts, which is a layer above it',
    ]);
  });

  test('from a folder to an entry file', () => {
    expect(check({ 'src/run/loop.ts': `export { dialect } from '../index.ts'` })).toHaveLength(1);
  });

  test('from a folder that is not in the list', () => {
    expect(check({ 'src/extras/more.ts': '' })).toHaveLength(1);
  });

  test('of a test, from code', () => {
    expect(check({ 'src/json/parse.ts': `import './parse.test.ts'` })).toHaveLength(1);
    expect(check({ 'src/json/parse.ts': `import './test-cases.ts'` })).toHaveLength(1);
  });

  test('of a file outside the package', () => {
    expect(check({ 'src/node.ts': `import '../../emulator/src/index.ts'` })).toHaveLength(1);
  });

  test('of a package that the manifest does not name', () => {
    expect(check({ 'src/node.ts': `const sdk = await import('@anthropic-ai/sdk/core')` })).toEqual([
      'packages/core/src/node.ts: imports @anthropic-ai/sdk, which packages/core/package.json does not name for it',
    ]);
    expect(check({ 'test/wire.test.ts': `import 'left-pad'` })).toHaveLength(1);
  });

  test('of a Node module, anywhere below the main entry', () => {
    const files = { 'src/index.ts': `export * from './json/parse.ts'`, 'src/json/parse.ts': `import fs from 'fs'` };
    expect(check(files)).toEqual([
      'packages/core/src/json/parse.ts: imports fs, but is reached from an entry that runs outside Node',
    ]);
  });
});

test('a circle of files that load each other is seen, and one of types is not', () => {
  const back = { 'src/run/loop.ts': `import { limits } from './limits.ts'` };
  expect(check({ ...back, 'src/run/limits.ts': `export * from './turns.ts'`, 'src/run/turns.ts': '' })).toEqual([]);
  expect(
    check({
      ...back,
      'src/run/limits.ts': `export { type Turns, turns } from './turns.ts'`,
      'src/run/turns.ts': `import './loop.ts'`,
    }),
  ).toEqual([
    'packages/core/src/run/loop.ts → packages/core/src/run/limits.ts → packages/core/src/run/turns.ts → packages/core/src/run/loop.ts: a circle of imports',
  ]);
  for (const types of [
    `import type { Loop } from './loop.ts'`,
    `import { type Loop } from './loop.ts'`,
    `export type { Loop } from './loop.ts'`,
    `const later = () => import('./loop.ts')`,
  ])
    expect(check({ ...back, 'src/run/limits.ts': types })).toEqual([]);
});

test('right imports are let through', () => {
  const files = {
    'src/index.ts': `export * from './run/loop.ts'`,
    'src/node.ts': `import 'node:fs'; import './index.ts'`,
    'src/run/loop.ts': `import './limits.ts'; import '../json/parse.ts'; import { sha256 } from '@noble/hashes/sha2.js'`,
    'src/json/parse.test.ts': `import { test } from 'vitest'; import '../run/loop.ts'; import 'node:fs'`,
    'src/json/test-cases.ts': `import { expect } from 'vitest'`,
    'test/wire.test.ts': `import Sdk from '@anthropic-ai/sdk'; import '@skein/core'`,
  };
  expect(check(files)).toEqual([]);
});

/** The violations in an invented core package with these files. */
function check(files: Record<string, string>) {
  return findViolations({
    files: new Map(Object.entries(files).map(([path, text]) => [`packages/core/${path}`, text])),
    manifests: new Map([
      ['', { name: 'skein', devDependencies: { vitest: '1' } }],
      [
        'packages/core',
        { name: '@skein/core', dependencies: { '@noble/hashes': '1' }, devDependencies: { '@anthropic-ai/sdk': '1' } },
      ],
    ]),
  });
}

function readRepository(): Repository {
  // A folder with a manifest of its own stands before the one that it is in.
  const folders = [
    'examples',
    'bench/gateway',
    'bench/sdks',
    'bench',
    ...readdirSync(`${root}packages`).map((name) => `packages/${name}`),
  ];
  const packages = folders.filter((folder) => existsSync(`${root}${folder}/package.json`));
  const manifests = new Map<string, Manifest>([['', JSON.parse(read('package.json'))]]);
  const files = new Map<string, string>();
  for (const folder of packages) {
    manifests.set(folder, JSON.parse(read(`${folder}/package.json`)));
    for (const path of sourceFiles(folder)) files.set(path, read(path));
  }
  return { files, manifests };
}

function read(path: string) {
  return readFileSync(`${root}${path}`, 'utf8');
}

function sourceFiles(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourceFiles(path);
    return /\.(ts|tsx|mjs|js)$/.test(entry.name) ? [path] : [];
  });
}
