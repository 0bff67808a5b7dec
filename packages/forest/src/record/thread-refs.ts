import { seeRefs, setRef } from '../forest/context.ts';
import { openingGroup, SIDE_CALLS, sessionGroup, touchGroups } from '../forest/threads/groups.ts';
import { type RefRecord, ROOT } from '../model/index.ts';
import { threadId } from './placement-rules.ts';
import type { IndexThread, RecordedIndex } from './recorded-index.ts';
import type { RecordingForest } from './recorder.ts';
import type { LandingChange } from './write-tree.ts';

/**
 * Conversations with news: their heads move. A title that a person gave stays. A thread whose exchanges turned out to
 * belong to another one is deleted, so that what people said of it can still be found.
 */
export async function threadRefs(
  forest: RecordingForest,
  index: RecordedIndex,
  changes: readonly LandingChange[],
): Promise<RefRecord[]> {
  const successor = new Map(changes.map(({ before, after }) => [before?.thread, after.thread]));
  const ids = new Set(changes.flatMap(({ before, after }) => [before?.thread, after.thread]));
  ids.delete(undefined);
  const keys = [...ids] as string[];
  if (keys.length === 0) return [];
  const items = await seeRefs(forest, 'thread', keys, NAMES);
  const there = new Map(items.map(({ key, name, value }) => [`${key} ${name}`, value]));
  const has = (name: string, id: string) => Boolean(there.get(`${id} ${name}`));
  const set = (id: string, values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]) => setRef(forest, 'thread', id, name, value));
  const refs = keys.flatMap((id) => {
    const thread = index.threads.get(id);
    if (!thread) return has('head', id) ? set(id, { deleted: true, mergedInto: successor.get(id) ?? '' }) : [];
    const { head, touched, title } = thread;
    const said = Object.entries(saidOf(thread)).filter(([name, value]) => there.get(`${id} ${name}`) !== value);
    return set(id, {
      head,
      touched,
      ...Object.fromEntries(said),
      ...(!has('head', id) && { start: ROOT, title }),
      ...(has('mergedInto', id) && { deleted: false, mergedInto: false }),
    });
  });
  const touches = keys.flatMap((thread) => {
    const known = index.threads.get(thread);
    const group = known && groupOf(known);
    return known && group !== undefined ? [{ group, thread, touched: known.touched }] : [];
  });
  const heads = new Map(keys.map((id) => [id, there.get(`${id} head`)]));
  const forks = (await writtenHeads(forest, index, heads)).flatMap(([id, head]) => {
    const { created, opening } = index.threads.get(id)!;
    const touched = Number(there.get(`${id} touched`) ?? created);
    const title = there.get(`${id} title`);
    const fork = threadId(`fork\n${id}\n${head}`);
    const group = openingGroup(opening);
    touches.push(...(group === undefined ? [] : [{ group, thread: fork, touched }]));
    return set(fork, { start: ROOT, head, title, created, touched, forkedFrom: id, ...(group && { group }) });
  });
  return [...forks, ...refs, ...(await touchGroups(forest, touches))];
}

/**
 * Heads that are about to move away from what a person wrote there. Below a recorded conversation that is a fork; stores of
 * older releases, where the page wrote into the recorded thread itself, get it now.
 */
async function writtenHeads(
  { store }: RecordingForest,
  index: RecordedIndex,
  heads: ReadonlyMap<string, unknown>,
): Promise<[thread: string, head: string][]> {
  const left = [...heads].filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && index.threads.has(entry[0]) && !index.nodes.has(entry[1]) && entry[1] !== ROOT,
  );
  if (left.length === 0) return [];
  const takes = await store.takes(left.map(([, head]) => head));
  const written = new Set(takes.filter(({ via }) => via !== 'record').map(({ node }) => node));
  return left.filter(([, head]) => written.has(head));
}

const NAMES = [
  'start',
  'head',
  'title',
  'created',
  'touched',
  'deleted',
  'mergedInto',
  'recorded',
  'part',
  'session',
  'group',
  'unrecorded',
];

/** What a thread is to people, beside its head: written where it changes. */
function saidOf(thread: IndexThread): Readonly<Record<string, unknown>> {
  const { created, part, session, unrecorded } = thread;
  const group = groupOf(thread);
  return {
    recorded: true,
    created,
    part,
    ...(session !== undefined && { session }),
    ...(group !== undefined && { group }),
    ...(unrecorded !== undefined && { unrecorded }),
  };
}

function groupOf({ part, session, opening }: IndexThread): string | undefined {
  if (session !== undefined) return sessionGroup(session);
  return part === 'side' ? SIDE_CALLS : openingGroup(opening);
}
