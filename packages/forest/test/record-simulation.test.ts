/** Many programs at once: the truth is known to the simulation, which shares no code with placement. */
import { createEngine, createForest, createRecorder, memoryStore, reproject, type Store } from '@skein/forest';
import { expect, test } from 'vitest';
import { simulate } from '../../../bench/simulation/conversations.mjs';
import { judge } from '../../../bench/simulation/judge.mjs';
import { checkNextRequests } from '../../../bench/simulation/next-requests.mjs';
import { type Recorded, recordAll } from '../../../bench/simulation/record.mjs';
import { chance } from '../../../bench/simulation/world.mjs';
import type { Placement } from '../src/record/placement.ts';
import { sharedProjector } from '../src/record/projection/projector.ts';
import { seen } from './record-exchanges.ts';

const recordedOf = (seed: number, conversations: number) =>
  recordAll(simulate({ seed, conversations, users: 50 }), { createForest, createRecorder, memoryStore });

async function readPlaces(store: Store, recorded: readonly Recorded[]) {
  const limit = Number.MAX_SAFE_INTEGER;
  const landed = (await store.refs({ on: 'forest', names: ['landed'], limit })).items;
  const landings = new Map(landed.map(({ key, value }) => [key, value as Placement]));
  const refs = (await store.refs({ on: 'thread', names: ['session'], limit })).items;
  const sessions = new Map(refs.map(({ key, value }) => [key, String(value)]));
  const places = new Map(
    recorded.map(({ exchange, id }) => {
      const thread = landings.get(id)?.thread;
      return [exchange.index, { thread, session: sessions.get(thread ?? '') }];
    }),
  );
  return { landings, places };
}

test('no conversation is in a foreign thread, none is split where evidence exists, and each goes on as its own', async () => {
  const recorded = await recordedOf(Number(process.env.SEED ?? 1), Number(process.env.SIM ?? 150));
  const store = memoryStore();
  const forest = createForest(store);
  // As they arrive: some late, some before those that they go on from.
  const arrived = recorded.toSorted((a, b) => a.exchange.arrives - b.exchange.arrives);
  for (const [at, { records }] of arrived.entries()) {
    await store.append(records);
    if (at % 100 === 99) await sharedProjector(forest).run();
  }
  await sharedProjector(forest).run();
  const { landings, places } = await readPlaces(store, recorded);
  const verdict = judge(
    recorded.map(({ exchange }) => exchange),
    (index) => places.get(index)!,
  );
  if (process.env.SIM) console.log(verdict);
  expect(verdict).toMatchObject({ foreign: [], split: [], unplaced: [], unlinked: [] });
  const keys = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' };
  const engine = createEngine(forest, { env: keys });
  const next = await checkNextRequests(recorded, (id) => landings.get(id), { forest, engine });
  expect(next).toEqual({ staleHeads: [], foreignSystems: [] });
});

test.each([2, 3])(
  'whatever order they arrive in, the threads are those of placing all afresh (seed %i)',
  async (seed) => {
    const recorded = await recordedOf(seed, 25);
    const fresh = memoryStore();
    for (const { records } of recorded) await fresh.append(records);
    await reproject(createForest(fresh));
    const { redirects: _, ...expected } = await seen(fresh);
    const by = chance(seed);
    const store = memoryStore();
    const forest = createForest(store);
    for (const { records } of recorded.map((one) => ({ ...one, at: by.next() })).sort((a, b) => a.at - b.at)) {
      await store.append(records);
      if (by.is(0.2)) await sharedProjector(forest).run();
    }
    await sharedProjector(forest).run();
    const { redirects: __, ...actual } = await seen(store);
    expect(actual).toEqual(expected);
  },
);
