import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const exportsOf = (file: string): string[] =>
  [...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/^export (?:const |\{ )(\w+)/gm)].map(
    ([, name]) => name!,
  );

it("has the same dialects in Node's build as elsewhere", () => {
  expect(exportsOf('more.ts')).toContain('cohereChat');
  expect(exportsOf('more-on-demand.ts').sort()).toEqual(exportsOf('more.ts').sort());
});

/** The folders whose index adds its dialect when it is loaded. */
const adding = readdirSync(new URL('.', import.meta.url)).filter((name) => {
  const index = new URL(`${name}/index.ts`, import.meta.url);
  return existsSync(index) && readFileSync(index, 'utf8').includes('addDialect(');
});

it('bundlers are told of every file that adds a dialect, and of no other in the folders of dialects', () => {
  const told = manifest.sideEffects.filter((path) => /dialects\/[^/]+\/index/.test(path));
  expect(told.sort()).toEqual(adding.map((name) => `**/dialects/${name}/index.*`).sort());
});

it('every dialect that is added has a loader, and comes with the entry that has all', () => {
  const imported = (file: string): string[] =>
    [
      ...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/(?:from|import\() ?'\.\/([\w-]+)\/index\.ts'/g),
    ].map(([, name]) => name!);
  expect(imported('registry.ts').sort()).toEqual(adding.sort());
  expect(imported('more.ts').sort()).toEqual(adding.sort());
});
