/** Recorders that keep only the last exchanges in memory, and the facts of the others in their store. */
import { createForest, createRecorder, memoryStore, type Store } from '@skein/forest';
import { overlayStore } from '@skein/forest/store';
import { simulate } from '../../../bench/simulation/conversations.mjs';
import { type Recorded, recordAll } from '../../../bench/simulation/record.mjs';
import { createProjector } from '../src/record/projection/projector.ts';
import { memoryFacts } from './memory-facts.ts';
import { seen } from './record-exchanges.ts';

export const recordedOf = (seed: number, conversations: number) =>
  recordAll(simulate({ seed, conversations, users: 20 }), { createForest, createRecorder, memoryStore });

export const LIMITS = { steps: 60, every: 20, rows: 50 };

export function storeWithFacts(): Store {
  return overlayStore(memoryStore(), { facts: memoryFacts() });
}

/** In the order of their starts, a few at a time. */
export async function arrive(store: Store, recorded: readonly Recorded[], each: () => Promise<void>): Promise<void> {
  for (const [at, { records }] of recorded.toSorted((a, b) => a.exchange.start - b.exchange.start).entries()) {
    await store.append(records);
    if (at % 7 === 6) await each();
  }
  await each();
}

export async function placedInMemory(recorded: readonly Recorded[]) {
  const store = memoryStore();
  const projector = createProjector(createForest(store));
  await arrive(store, recorded, () => projector.run());
  return seen(store);
}
