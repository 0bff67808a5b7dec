/** A store that keeps facts, projectors that keep few of them in memory, and conversations to place. */
import { memoryFacts } from '../../../test/memory-facts.ts';
import { type Recorded, recordsOf, seen } from '../../../test/record-exchanges.ts';
import { createForest } from '../../forest/index.ts';
import type { EntryRecord } from '../../model/records.ts';
import { memoryStore, overlayStore, type Store } from '../../store/index.ts';
import type { Placement } from '../placement.ts';
import type { ProjectionLimits } from './fact-base.ts';
import { PLACEMENT_REF } from './placement-refs.ts';
import { createProjector } from './projector.ts';

export const LIMITS = { steps: 4, every: 2, rows: 3 };

/** A request with these words, said in turn by the user and the model, and the answer. */
export function chat(start: number, words: readonly string[], answer: string, more: Partial<Recorded> = {}): Recorded {
  const messages = words.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
  return {
    id: `x${start}`,
    start,
    dialect: 'openai-chat',
    request: JSON.stringify({ model: 'm', messages }),
    response: JSON.stringify({ id: 'c', model: 'm', choices: [{ message: { role: 'assistant', content: answer } }] }),
    ...more,
  };
}

/** The turns of a conversation, ten seconds apart. */
export function conversation(turns: number, start = 0, name = ''): Recorded[] {
  return Array.from({ length: turns }, (_, at) => {
    const words = Array.from({ length: 2 * at + 1 }, (__, word) => `${word % 2 === 0 ? 'Q' : 'A'}${word >> 1}${name}`);
    return chat(start + 10_000 * at, words, `A${at}${name}`);
  });
}

export const recordOf = (one: Recorded) => recordsOf(one).at(-1)!;
/** Its record while it has not ended. */
export function openRecord(one: Recorded): EntryRecord {
  const record = recordOf(one);
  const { end: _, ...data } = record.data;
  return { ...record, data: { ...data, outcome: 'open' }, clock: '000000000.0000.t' };
}

export function world() {
  const facts = memoryFacts();
  const store: Store = overlayStore(memoryStore(), { facts, isAlive: async () => true });
  const newProjector = (more: Partial<Store> = {}, limits: ProjectionLimits = LIMITS) =>
    createProjector(createForest(overlayStore(store, more)), limits);
  const record = async (...all: readonly Recorded[]) => {
    for (const one of all) await store.append(recordsOf(one));
  };
  const placement = async ({ id }: Recorded) =>
    (await store.refs({ on: 'forest', keys: [id], names: [PLACEMENT_REF] })).items[0]?.value as Placement | undefined;
  const thread = async (one: Recorded) => (await placement(one))?.thread;
  const headOf = async (id: string) =>
    (await store.refs({ on: 'thread', keys: [id], names: ['head'] })).items[0]?.value as string | undefined;
  const state = async () => JSON.parse((await facts.version())?.state ?? '{}');
  return { facts, store, newProjector, record, placement, thread, headOf, state };
}

/** What is seen of exchanges when all facts are in memory. */
export async function inMemory(all: readonly Recorded[]) {
  const store = memoryStore();
  for (const one of all) await store.append(recordsOf(one));
  await createProjector(createForest(store)).run();
  return seen(store);
}
