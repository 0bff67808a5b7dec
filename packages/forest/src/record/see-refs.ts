import type { RefRecord } from '../model/index.ts';
import type { RecordingForest } from './recorder.ts';

const BATCH = 500;

/** Refs as they are now. What is written after this is later than any of them, whoever wrote them. */
export async function seeRefs(
  { store, clock }: RecordingForest,
  on: RefRecord['on'],
  keys: readonly string[],
  names: readonly string[],
): Promise<RefRecord[]> {
  const found: RefRecord[] = [];
  for (let at = 0; at < keys.length; at += BATCH) {
    const some = keys.slice(at, at + BATCH);
    const { items } = await store.refs({ on, keys: some, names, limit: some.length * names.length });
    found.push(...items);
  }
  for (const ref of found) clock.see(ref.clock);
  return found;
}
