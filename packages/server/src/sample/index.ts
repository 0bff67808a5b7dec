import type { Forest } from '@skein/forest';
import { writeDebounce } from './debounce.ts';
import { writeLisbon } from './lisbon.ts';
import { writeTile } from './tile.ts';
import { createWriter } from './writer.ts';

const HOUR = 60 * 60_000;

/**
 * Conversations to look at in a forest that is new: branches, answers of three providers, calls, edits, marks. Every
 * node has the same id wherever it is written; times are told from `now`. Doing it twice is doing it once.
 *
 * @example
 * const forest = await openForest(':memory:');
 * await seedSample(forest);
 */
export async function seedSample(forest: Forest, now = Date.now()): Promise<void> {
  const { items } = await forest.threads.list({ tag: 'sample', limit: 1 });
  if (items.length > 0) return;
  await writeTile(forest, await createWriter(forest, now - 50 * HOUR));
  await writeDebounce(forest, await createWriter(forest, now - 26 * HOUR));
  await writeLisbon(forest, await createWriter(forest, now - 3 * HOUR));
}
