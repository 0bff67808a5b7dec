import { createForest, createRecorder, memoryStore } from '@skein/forest';
import { expect, test } from 'vitest';
import { simulate } from '../../../../bench/simulation/conversations.mjs';
import { recordAll } from '../../../../bench/simulation/record.mjs';
import { createProjector } from '../../src/record/projection/projector.ts';
import type { FactStore } from '../../src/store/store.ts';
import { memoryFacts } from '../memory-facts.ts';
import { seen } from '../record-exchanges.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

const PLACES: Readonly<Record<string, () => Promise<FactStore>>> = {
  memory: async () => memoryFacts(),
  PostgreSQL: async () => (await used.open()).facts!,
};

test.each(Object.keys(PLACES))('facts in %s are of one version, and only who knows it replaces it', async (place) => {
  const facts = await PLACES[place]!();
  expect(await facts.version()).toBe(undefined);
  expect(await facts.read(['a'])).toEqual({ version: undefined, values: [undefined] });
  const write = (from: string | undefined, version: string, values: [string, string | undefined][]) =>
    facts.write(from, { version, state: `state of ${version}` }, new Map(values));
  expect(await write('none', 'v1', [['a', 'lost']])).toBe(false);
  const odd = 'a lone \ud800, a null \0 and an escape \u001b';
  const first: [string, string | undefined][] = [
    ['a', '1'],
    ['b', odd],
    ['c', '3'],
  ];
  expect(await write(undefined, 'v1', first)).toBe(true);
  expect(await write(undefined, 'v2', [['a', 'lost']])).toBe(false);
  expect(await facts.version()).toEqual({ version: 'v1', state: 'state of v1' });
  expect(await facts.read(['c', 'x', 'b', 'a'])).toEqual({ version: 'v1', values: ['3', undefined, odd, '1'] });
  const second: [string, string | undefined][] = [
    ['a', '4'],
    ['c', undefined],
  ];
  expect(await write('v1', 'v2', second)).toBe(true);
  expect(await write('v1', 'v3', [['a', 'lost']])).toBe(false);
  expect(await facts.read(['a', 'b', 'c'])).toEqual({ version: 'v2', values: ['4', odd, undefined] });
  await facts.clear();
  expect(await facts.version()).toBe(undefined);
  expect((await facts.read(['a'])).values).toEqual([undefined]);
});

test('recorders that share a database place exchanges as one with all facts in memory; a compaction forgets the facts', async () => {
  const recorded = (
    await recordAll(simulate({ seed: 11, conversations: 40, users: 20 }), { createForest, createRecorder, memoryStore })
  ).toSorted((a, b) => a.exchange.start - b.exchange.start);
  const inMemory = memoryStore();
  for (const { records } of recorded) await inMemory.append(records);
  await createProjector(createForest(inMemory)).run();
  const project = used.newProject();
  const stores = [await used.open(project), await used.open(project)];
  const limits = { steps: 40, every: 20, rows: 50 };
  const projectors = stores.map((store) => createProjector(createForest(store), limits));
  for (const [at, { records }] of recorded.entries()) {
    await stores[at % 2]!.append(records);
    if (at % 20 === 19) await Promise.all(projectors.map((projector) => projector.run()));
  }
  for (const projector of projectors) await projector.run();
  const { redirects: _, ...expected } = await seen(inMemory);
  const { redirects: __, ...actual } = await seen(stores[0]!);
  expect(actual).toEqual(expected);
  expect(await stores[0]!.facts!.version()).toMatchObject({ state: expect.stringContaining('position') });
  await stores[1]!.close();
  await stores[0]!.compact(() => true);
  expect(await stores[0]!.facts!.version()).toBe(undefined);
});
