import { createHash } from 'node:crypto';
import type { RefRecord } from '../../model/records.ts';
import { memoryStore, type Store } from '../../store/index.ts';
import { describeRecord } from '../record-index.ts';
import { OWN_VALUES, storePeer } from '../store-peer.ts';
import { SyncError } from '../sync-error.ts';
import type { SyncPeer, SyncRecord } from '../sync-peer.ts';
import { checkHead, HEAD_FILE, makeHead, type PackCipher, type PackStorage } from './pack-place.ts';

/** Options of `packPeer`. */
export interface PackOptions {
  /** The project whose conversations are kept there; a place can have several. */
  readonly project: string;
  /** Encrypts what is written; without it, files are lines of JSON. */
  readonly cipher?: PackCipher;
  /** Keeps what was read, so that the next process reads only new files. Without it, every process reads all of them. */
  readonly cache?: PackCache;
}

/** A store for the records of a place. It holds nothing that the place does not have. */
export interface PackCache {
  open(): Promise<Store>;
  /** Empties it, because it holds something else than the place. */
  reset(): Promise<Store>;
}

/** Records that wait are written when they have this many characters, and at the end of a meeting. */
const PACK_SIZE = 16 * 1024 * 1024;
const AT_ONCE = 1000;

/**
 * The forest in a place that keeps files, as a peer. It reads the files that it has not read yet when a meeting begins,
 * and verifies each of them and each record. What it is sent becomes new files.
 *
 * @example
 * const there = packPeer(await gitPacks('/repo', 'skein'), { project: 'default' });
 * await syncForests(storePeer(store), there, { direction: 'both' });
 */
export function packPeer(place: PackStorage, { project, cipher, cache }: PackOptions): SyncPeer {
  let store: Store | undefined;
  let inner: SyncPeer = storePeer(memoryStore());
  const folder = `packs/${createHash('sha256').update(project).digest('hex').slice(0, 16)}/`;
  const known = new Set<string>();
  let isNew = false;
  let waiting: string[] = [];
  let size = 0;

  const refresh = async () => {
    const paths = await place.list();
    if (cache) await openCache(cache, new Set(paths));
    isNew = paths.length === 0;
    if (isNew) return;
    const heads = paths.includes(HEAD_FILE) ? place.read([HEAD_FILE]) : [];
    let head: string | undefined;
    for await (const { bytes } of heads) head = new TextDecoder().decode(bytes);
    checkHead(head, place.name, cipher !== undefined);
    const fresh = paths.filter((path) => path.startsWith(folder) && !known.has(path));
    const records: SyncRecord[] = [];
    for await (const { path, bytes } of place.read(fresh)) records.push(...(await unpack(path, bytes)));
    // Parents and texts may have come in other files.
    const ranked = records.map((one) => ({ one, rank: describeRecord(one.record)?.rank ?? 0 }));
    ranked.sort((a, b) => a.rank - b.rank);
    for (let start = 0; start < ranked.length; start += AT_ONCE)
      await inner.write(ranked.slice(start, start + AT_ONCE).map(({ one }) => one));
    await note(fresh);
  };
  /** Goes on from what an earlier process read, unless files are gone since, or that process died while it wrote. */
  const openCache = async (kept: PackCache, paths: ReadonlySet<string>) => {
    if (store && [...known].every((path) => paths.has(path))) return;
    const opened = store ?? (await kept.open());
    const { items } = await opened.refs({ on: OWN_VALUES.on, keys: [OWN_VALUES.key], limit: Number.MAX_SAFE_INTEGER });
    const noted = items.filter(({ value }) => value === true).map(({ name }) => name);
    const isSame = noted.every((name) => name.startsWith(PACK) && paths.has(name.slice(PACK.length)));
    known.clear();
    store = isSame ? opened : await kept.reset();
    inner = storePeer(store);
    if (isSame) for (const name of noted) known.add(name.slice(PACK.length));
  };
  /** Notes that the records of these files are known; they are all that waited. */
  const note = async (paths: readonly string[]) => {
    for (const path of paths) known.add(path);
    await store?.append([...paths.map((path) => ownRef(PACK + path, true)), ownRef(UNFINISHED, false)]);
  };

  const unpack = async (path: string, bytes: Uint8Array): Promise<SyncRecord[]> => {
    if (!path.includes(`/${hashOf(bytes)}.`))
      throw new SyncError('sync_refused', `${path} in ${place.name} does not match its hash. Nothing was written.`);
    const lines = new TextDecoder().decode(await open(path, bytes)).split('\n');
    return lines.filter((line) => line !== '').map((line) => readLine(path, line));
  };
  const open = async (path: string, bytes: Uint8Array): Promise<Uint8Array> => {
    try {
      return cipher ? await cipher.decrypt(bytes) : bytes;
    } catch {
      throw new SyncError(
        'sync_refused',
        `${path} in ${place.name} cannot be decrypted: this is not its key. Nothing was written.`,
      );
    }
  };
  const readLine = (path: string, line: string): SyncRecord => {
    try {
      const one = JSON.parse(line);
      if (typeof one?.id === 'string' && typeof one.record === 'object' && one.record !== null) return one;
    } catch {
      // Told below.
    }
    throw new SyncError('sync_refused', `${path} in ${place.name} cannot be read. Nothing was written.`);
  };

  const flush = async () => {
    if (waiting.length === 0) return;
    const text = new TextEncoder().encode(waiting.join(''));
    const bytes = cipher ? await cipher.encrypt(text) : text;
    const hash = hashOf(bytes);
    const path = `${folder}${hash.slice(0, 2)}/${hash}.${cipher ? 'age' : 'jsonl'}`;
    const files = new Map([[path, bytes]]);
    if (isNew) files.set(HEAD_FILE, new TextEncoder().encode(makeHead(cipher !== undefined)));
    await place.add(files);
    await note([path]);
    isNew = false;
    waiting = [];
    size = 0;
  };

  /** The peer changes when the cache is emptied. */
  const wrap = (peer: () => SyncPeer): SyncPeer => ({
    async version() {
      await refresh();
      return peer().version();
    },
    threads: (selection) => peer().threads(selection),
    async select(threads) {
      const selected = await peer().select(threads);
      return wrap(() => selected);
    },
    summaries: (prefixes) => peer().summaries(prefixes),
    items: (prefixes) => peer().items(prefixes),
    read: (ids) => peer().read(ids),
    flush,
    async write(records) {
      // The cache has these before the place does: if this process dies, it is emptied.
      if (waiting.length === 0) await store?.append([ownRef(UNFINISHED, true)]);
      await peer().write(records);
      for (const one of records) {
        const line = `${JSON.stringify(one)}\n`;
        waiting.push(line);
        size += line.length;
      }
      if (size >= PACK_SIZE) await flush();
    },
  });
  return wrap(() => inner);
}

/** Values of the cache itself: the files whose records it has, and whether something waits to be written to the place. */
const PACK = 'pack:';
const UNFINISHED = 'unfinished';

let ticks = 0;

function ownRef(name: string, value: boolean): RefRecord {
  const clock = `${Date.now().toString(36).padStart(9, '0')}.${String(ticks++).padStart(9, '0')}.packs`;
  return { k: 'ref', ...OWN_VALUES, name, value, clock };
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
