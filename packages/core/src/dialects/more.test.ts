import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const exportsOf = (file: string): string[] =>
  [...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/^export (?:const |\{ )(\w+)/gm)].map(
    ([, name]) => name!,
  );

it("has the same dialects in Node's build as elsewhere", () => {
  expect(exportsOf('more.ts')).toContain('cohereChat');
  expect(exportsOf('more-on-demand.ts').sort()).toEqual(exportsOf('more.ts').sort());
});
