import { readFileSync } from 'node:fs';
import * as core from '@skein/core';
import { says } from '@skein/emulator';
import * as forest from '@skein/forest';
import { expect, test } from 'vitest';
import { stripTypes } from '../../../scripts/docs-samples.ts';
import { expectAccepted, start } from './kit.ts';

const page = readFileSync(new URL('../../../docs/engine.md', import.meta.url), 'utf8');
const samples = [...page.matchAll(/```ts run\n([\s\S]*?)```/g)].map(([, text]) => text!).join('\n');

test('the samples of docs/engine.md run, and do what the page says', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
    says('Snow.'),
    says('Still snow.'),
  ]);
  const imported = [...samples.matchAll(/^import \{ (.*) \} from .*$/gm)].flatMap(([, names]) => names!.split(', '));
  const code = samples.replaceAll(/^import .*$/gm, '');
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  const run = new AsyncFunction(
    'env',
    ...imported,
    `${stripTypes(code)}; return { status, done, answer, seen, other, forest };`,
  );
  const names = { ...core, ...forest };
  const result = await run(emulator.env(), ...imported.map((name) => names[name as 'ROOT']));
  expect(result).toMatchObject({ status: 'waiting', done: { status: 'done' }, answer: { message: { text: 'Snow.' } } });
  expect(result.seen.filter((type: string) => type === 'end')).toHaveLength(2);
  const { message } = await result.forest.node(result.other.head);
  expect(message.text).toBe('Still snow.');
  expect(await result.forest.fsck()).toEqual([]);
  expectAccepted(emulator);
});
