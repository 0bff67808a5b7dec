import { createForest, createRecorder, memoryStore } from '@skein/forest';
import { expect, test } from 'vitest';
import { simulate } from '../../../../bench/simulation/conversations.mjs';
import { recordAll } from '../../../../bench/simulation/record.mjs';
import { createProjector } from '../../src/record/projection/projector.ts';
import { seen } from '../record-exchanges.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

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
