/** Reads the records of a store that an index names. */

import { allPages } from '../forest/index.ts';
import { type EntryKind, REF_SUBJECTS, type RefRecord, type StoreRecord, type TakeRecord } from '../model/records.ts';
import type { Store } from '../store/index.ts';
import { refKey } from '../store/records.ts';
import { describeRecord, type RecordIndex } from './record-index.ts';

const AT_ONCE = 200;

/** Reads refs by their keys, `on/key/name`. */
export async function readRefs(store: Store, keys: readonly string[]): Promise<RefRecord[]> {
  const found: RefRecord[] = [];
  const wanted = new Set(keys);
  for (const on of REF_SUBJECTS) {
    const parts = keys.filter((key) => key.startsWith(`${on}/`)).map((key) => key.split('/'));
    const subjects = [...new Set(parts.map(([, key = '']) => key.replaceAll('%2F', '/').replaceAll('%25', '%')))];
    for (let start = 0; start < subjects.length; start += AT_ONCE) {
      const some = subjects.slice(start, start + AT_ONCE);
      for await (const refs of allPages((page) => store.refs({ on, keys: some, ...page })))
        found.push(...refs.filter((ref) => wanted.has(refKey(ref))));
    }
  }
  return found;
}

/** Reads records by their ids. One that was replaced meanwhile is left out: the next comparison finds the newer one. */
export async function readRecords(
  store: Store,
  index: RecordIndex,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoreRecord>> {
  const keys: Record<string, string[]> = { body: [], node: [], take: [], ref: [], entry: [] };
  for (const id of ids) {
    const key = index.get(id)?.key;
    if (key === undefined) continue;
    const slash = key.indexOf('/');
    keys[key.slice(0, slash)]?.push(key.slice(slash + 1));
  }
  const { body = [], node = [], take = [], ref = [], entry = [] } = keys;
  const texts = await store.bodies(body);
  const records: (StoreRecord | undefined)[] = body.map((digest, at) => {
    const text = texts[at];
    return text === undefined ? undefined : { k: 'body', digest, text };
  });
  records.push(...(await store.nodes(node)));
  records.push(...(await readTakes(store, take)));
  records.push(...(await readRefs(store, ref)));
  for (const key of entry) {
    const slash = key.indexOf('/');
    records.push(await store.entry(key.slice(0, slash) as EntryKind, key.slice(slash + 1)));
  }
  return new Map(records.flatMap((record) => (record ? [[describeRecord(record)!.id, record] as const] : [])));
}

async function readTakes(store: Store, keys: readonly string[]): Promise<TakeRecord[]> {
  const parts = keys.map((key) => key.split('/'));
  const wanted = new Set(parts.map(([id]) => id));
  const takes = await store.takes([...new Set(parts.map(([, node = '']) => node))]);
  return takes.filter(({ id }) => wanted.has(id));
}
