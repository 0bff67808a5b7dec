import { seeRefs, setRef } from '../forest/refs.ts';
import { type RefRecord, ROOT } from '../model/index.ts';
import type { RecordingForest } from './recorder.ts';
import type { Tree } from './tree.ts';
import type { LandingChange } from './write-tree.ts';

/**
 * Conversations with news: their heads move. A title that a person gave stays. A thread whose exchanges turned out to
 * belong to another one is deleted, so that what people said of it can still be found.
 */
export async function threadRefs(
  forest: RecordingForest,
  tree: Tree,
  changes: readonly LandingChange[],
): Promise<RefRecord[]> {
  const successor = new Map(changes.map(({ before, after }) => [before?.thread, after.thread]));
  const ids = new Set(changes.flatMap(({ before, after }) => [before?.thread, after.thread]));
  ids.delete(undefined);
  const keys = [...ids] as string[];
  if (keys.length === 0) return [];
  const items = await seeRefs(forest, 'thread', keys, ['start', 'head', 'touched', 'deleted', 'mergedInto']);
  const has = (name: string, id: string) => items.some((ref) => ref.key === id && ref.name === name && ref.value);
  const set = (id: string, values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]) => setRef(forest, 'thread', id, name, value));
  return keys.flatMap((id) => {
    const thread = tree.threads.get(id);
    if (!thread) return has('head', id) ? set(id, { deleted: true, mergedInto: successor.get(id) ?? '' }) : [];
    const { head, touched, created, title } = thread;
    return set(id, {
      head,
      touched,
      ...(!has('head', id) && { start: ROOT, created, title }),
      ...(has('mergedInto', id) && { deleted: false, mergedInto: false }),
    });
  });
}
