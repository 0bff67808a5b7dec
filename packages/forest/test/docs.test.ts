import { readFileSync } from 'node:fs';
import * as core from '@skein/core';
import * as forest from '@skein/forest';
import { expect, test } from 'vitest';
import { stripTypes } from '../../../scripts/docs-samples.ts';

const page = readFileSync(new URL('../../../docs/forest.md', import.meta.url), 'utf8');
const samples = [...page.matchAll(/```ts run\n([\s\S]*?)```/g)].map(([, text]) => text!).join('\n');

test('the samples of docs/forest.md run, and leave a forest in order', async () => {
  const imported = [...samples.matchAll(/^import \{ (.*) \} from .*$/gm)].flatMap(([, names]) => names!.split(', '));
  const code = samples
    .replaceAll(/^import .*$/gm, '')
    .replace('await forest.fsck();', 'problems = await forest.fsck();');
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const run = new AsyncFunction(...imported, `let problems; ${stripTypes(code)}; return { seen, problems, items };`);
  const { seen, problems, items } = await run(...imported.map((name) => ({ ...core, ...forest })[name as 'ROOT']));
  expect(seen).toMatchObject({ by: 'echo', matched: 2 });
  expect(problems).toEqual([]);
  expect(items).toHaveLength(1);
});
