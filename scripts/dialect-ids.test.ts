import { readdirSync, readFileSync } from 'node:fs';
import { dialects } from '@skein/core';
import { googleInteractions } from '@skein/core/dialect';
import { expect, test } from 'vitest';
import { root } from './setup.mjs';

/** Provider data, readers of stored and older formats, and the emulator, which imports nothing of ours. */
const SPARED = [
  // Each dialect has a folder; two more hold what all of them share.
  /^packages\/core\/src\/dialects\/(?!stream\/|write\/)[^/]+\//,
  /^packages\/core\/src\/message\//,
  /^packages\/emulator\//,
  /\/older\//,
  // The words of a stored format, of which a code stands for each.
  /\/store\/postgres\/members\.ts$/,
  /\.test\.tsx?$|\/test-[^/]*$/,
];

test('nobody outside of its folder knows the id of a dialect', () => {
  const all = [...dialects(), googleInteractions];
  const ids = all.flatMap(({ id }) => (id === 'blocks' ? [] : [id]));
  const known = new RegExp(`['"\`](?:${ids.join('|')})['"\`]`);
  const files = readdirSync(`${root}packages`, { recursive: true, encoding: 'utf8' })
    .map((file) => `packages/${file.replaceAll('\\', '/')}`)
    .filter((file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file) && !SPARED.some((pattern) => pattern.test(file)));
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => known.test(readFileSync(`${root}${file}`, 'utf8')))).toEqual([]);
});
