import { readdir } from 'node:fs/promises';
import type { Place } from '../../forest/make-records.ts';
import { everyItem } from '../../forest/pages.ts';
import { placeBelow } from '../../forest/place.ts';
import { seeingStore } from '../../forest/refs.ts';
import { type Clock, createClock, type StoreRecord } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import { FormatError } from '../format-error.ts';
import { changeRecords, vanishRecords } from './changed.ts';
import { convertNode, convertRoot } from './convert.ts';
import type { KnownNodes } from './known.ts';
import { fileIn, isOlderNodeId, isOlderRootId, nodeFile, ROOTS_FILE } from './layout.ts';
import { createFileProblems, type FileProblems } from './problems.ts';
import { fileState, type OlderNode, type OlderRoot, readOlderNode, readRoots } from './read-files.ts';

/** A node as it was last read, and what it became. */
export interface Seen {
  readonly node: OlderNode;
  readonly root: OlderRoot;
  readonly id: string;
  readonly parent: string;
  /** Where what follows it hangs. */
  readonly place: Place;
}

/** One look at the folder: every file that is met is looked at once, and what is new is written at the end. */
export interface Look {
  roots(): Promise<readonly OlderRoot[]>;
  /** Roots whose first messages hang below this node. */
  rootsAt(id: string): Promise<readonly OlderRoot[]>;
  /** Converts a node and all above it; undefined when a file on the way cannot be read, which is reported. */
  node(older: string): Promise<Seen | undefined>;
  /** Converts what the file of a node, or of the root, lists below it. */
  children(older: string): Promise<Seen[]>;
  /** Every node whose file is there, listed or not. */
  all(): AsyncGenerator<Seen | undefined>;
  /** A node that was converted before: converts it again when its file was changed, removes it when it is gone. */
  refresh(older: string): Promise<void>;
  add(records: readonly StoreRecord[]): void;
  flush(): Promise<void>;
}

export interface Converter {
  readonly problems: FileProblems;
  readonly clock: Clock;
  look(): Promise<Look>;
}

/** Converts nodes of a folder as they are met. `known` remembers them; without it every look converts anew. */
export function createConverter(folder: string, given: Store, known?: KnownNodes): Converter {
  const clock = createClock(given.writer);
  const store = seeingStore(given, clock);
  const problems = createFileProblems();
  const cache = new Map<string, Seen>();
  const writtenRoots = new Map<string, string>();

  async function look(): Promise<Look> {
    const moves = await movesIn(store);
    const pending: StoreRecord[] = [];
    const met = new Map<string, Promise<Seen | undefined>>();
    let roots: Promise<readonly OlderRoot[]> | undefined;
    const rootPlaces = new Map<string, Place>();

    const add = (records: readonly StoreRecord[]) => {
      for (const record of records) pending.push(record);
    };
    const flush = async () => {
      const records = pending.splice(0);
      if (records.length > 0) await store.append(records);
    };
    const allRoots = () => {
      roots ??= readRootsOrReport();
      return roots;
    };
    const readRootsOrReport = async () => {
      let problem: unknown;
      const read = await reporting(ROOTS_FILE, () => readRoots(folder, (error) => (problem = error)));
      if (problem) problems.report(ROOTS_FILE, problem);
      for (const root of read ?? []) {
        const { place, records } = convertRoot(root);
        rootPlaces.set(root.id, await placeNow(place));
        if (writtenRoots.get(root.id) !== root.file.text) add(records);
        writtenRoots.set(root.id, root.file.text);
      }
      return read ?? [];
    };
    /** Where a node that was moved since has what follows it. */
    const placeNow = async (place: Place): Promise<Place> => {
      const target = endOf(place.id, moves);
      if (target === place.id) return place;
      await flush();
      return placeBelow(store, target);
    };

    const rootOf = async (id: string): Promise<OlderRoot> => {
      const root = (await allRoots()).find((one) => one.id === id);
      if (!root) throw new FormatError('broken_tree', `Its root ${id} is not in ${ROOTS_FILE}.`);
      return root;
    };
    const placeAbove = async ({ parentId, rootId }: OlderNode): Promise<Place> => {
      if (parentId === rootId) return rootPlaces.get(rootId)!;
      const parent = await meet(parentId);
      if (!parent) throw new FormatError('broken_tree', `Its parent ${parentId} cannot be read.`);
      return parent.place;
    };
    const convert = async (older: string): Promise<Seen> => {
      const before = cache.get(older);
      const state = await fileState(folder, nodeFile(older));
      const isSame = before && state?.mtime === before.node.state.mtime && state.size === before.node.state.size;
      const node = isSame ? before.node : await readOlderNode(folder, older);
      const root = await rootOf(node.rootId);
      const above = await placeAbove(node);
      const isDone = isSame && before.parent === above.id && before.root.file.text === root.file.text;
      if (isDone && endOf(before.id, moves) === before.place.id) return before;
      const { place, records } = convertNode(node, root, above);
      // A move that an earlier change of this file made is over when the file says again what it said once.
      const former = known?.get(older)?.id;
      const isBack = former !== undefined && moves.get(place.id) === former;
      const seen = { node, root, id: place.id, parent: above.id, place: isBack ? place : await placeNow(place) };
      add(records);
      if (known) add(await changeRecords({ store, clock }, known, older, seen));
      cache.set(older, seen);
      return seen;
    };
    const meet = (older: string): Promise<Seen | undefined> => {
      let meeting = met.get(older);
      if (!meeting) {
        meeting = reporting(nodeFile(older), () => convert(older));
        met.set(older, meeting);
      }
      return meeting;
    };

    return {
      roots: allRoots,
      rootsAt: async (id) => (await allRoots()).filter((root) => rootPlaces.get(root.id)?.id === id),
      node: meet,
      async children(older) {
        const listed = isOlderNodeId(older)
          ? (await meet(older))?.node.childIds
          : (await allRoots()).find(({ id }) => id === older)?.childIds;
        const found: Seen[] = [];
        for (const id of listed ?? []) {
          const child = await meet(id);
          if (child && child.node.parentId === older) found.push(child);
          else if (child)
            problems.report(nodeFile(id), new Error(`${older} lists it, but it names ${child.node.parentId}.`));
        }
        return found;
      },
      async *all() {
        for (const root of await rootFolders(folder))
          for (const older of await nodesIn(folder, root)) yield meet(older);
      },
      async refresh(older) {
        if (!known) return;
        const state = await fileState(folder, nodeFile(older));
        const before = known.get(older);
        if (!state) add(vanishRecords({ store, clock }, known, older));
        else if (state.mtime !== before?.mtime || state.size !== before.size) await meet(older);
      },
      add,
      flush,
    };
  }

  async function reporting<T>(file: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await read();
      problems.settle(file);
      return result;
    } catch (error) {
      problems.report(file, error);
      return undefined;
    }
  }

  return { problems, clock, look };
}

/** Folders that may hold nodes, whether or not their root is listed. */
async function rootFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return names.filter(isOlderRootId).sort(byNumber);
}

/** The ids of all node files of a root, in order of their numbers. */
async function nodesIn(folder: string, root: string): Promise<string[]> {
  const names = await readdir(fileIn(folder, `${root}/nodes`)).catch((error: { code?: unknown }) => {
    // A root may have no folder of nodes.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => `${root}/${name.slice(0, -'.json'.length)}`);
  return ids.filter(isOlderNodeId).sort(byNumber);
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

async function movesIn(store: Store): Promise<ReadonlyMap<string, string>> {
  const moves = new Map<string, string>();
  for await (const { key, value } of everyItem((page) => store.refs({ on: 'node', names: ['moved'], ...page })))
    if (typeof value === 'string') moves.set(key, value);
  return moves;
}

function endOf(id: string, moves: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let at = id;
  while (!seen.has(at)) {
    seen.add(at);
    at = moves.get(at) ?? at;
  }
  return at;
}
