import { isObject } from '@skein/core';
import {
  type AppendPoint,
  allItems,
  type ForestContext,
  makeRef,
  readAppendPoint,
  readRefs,
} from '../../forest/index.ts';
import type { RefRecord, StoreRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { FormatError } from '../format-error.ts';
import { convertNode, convertRoot } from './convert.ts';
import {
  createFileProblems,
  createRootsReader,
  everyOlderId,
  type FileProblems,
  type FileState,
  fileState,
  isOlderNodeId,
  nodeFile,
  type OlderNode,
  type OlderRoot,
  ROOTS_FILE,
  readOlderNode,
} from './older-files.ts';

/** An older node as it was last read, and the node that it became. */
export interface ConvertedNode {
  readonly node: OlderNode;
  readonly root: OlderRoot;
  readonly id: string;
  readonly parent: string;
  /** The position below which its children are appended. */
  readonly place: AppendPoint;
}

/** One pass over the folder. Every file is read at most once per pass, and new records are written at the end. */
export interface FolderScan {
  roots(): Promise<readonly OlderRoot[]>;
  /** The roots whose first messages are children of this node. */
  rootsAt(id: string): Promise<readonly OlderRoot[]>;
  /** Converts a node and its ancestors; undefined if one of their files cannot be read, which is reported. */
  node(older: string): Promise<ConvertedNode | undefined>;
  /** Converts the children that the file of a node, or the root, lists. */
  children(older: string): Promise<ConvertedNode[]>;
  /** Converts every node that has a file, whether it is listed or not. */
  all(): AsyncGenerator<ConvertedNode | undefined>;
  /** Converts a node again if its file changed, and removes it if its file is gone. */
  refresh(older: string): Promise<void>;
  add(records: readonly StoreRecord[]): void;
  flush(): Promise<void>;
}

interface Converter {
  readonly problems: FileProblems;
  scan(): Promise<FolderScan>;
}

/** Converts nodes of a folder on demand. `known` remembers them; without it every scan converts them again. */
export function createConverter(folder: string, context: ForestContext, known?: KnownNodes): Converter {
  const { store } = context;
  const problems = createFileProblems();
  const cache = new Map<string, ConvertedNode>();
  const readMoves = createMoveReader(store);
  const rootsNow = createRootsReader(folder, problems);
  const writtenRoots = new Map<string, string>();

  async function scan(): Promise<FolderScan> {
    const whereIs = await readMoves();
    const pending: StoreRecord[] = [];
    const met = new Map<string, Promise<ConvertedNode | undefined>>();
    let roots: Promise<readonly OlderRoot[]> | undefined;
    const rootPlaces = new Map<string, AppendPoint>();

    const add = (records: readonly StoreRecord[]) => {
      for (const record of records) pending.push(record);
    };
    const flush = async () => {
      const records = pending.splice(0);
      if (records.length > 0) await store.append(records);
    };
    const allRoots = () => {
      roots ??= convertRoots();
      return roots;
    };
    const convertRoots = async () => {
      const read = await rootsNow();
      for (const root of read) {
        const { place, records } = convertRoot(root);
        rootPlaces.set(root.id, await placeNow(place));
        if (writtenRoots.get(root.id) !== root.file.text) add(records);
        writtenRoots.set(root.id, root.file.text);
      }
      return read;
    };
    /** The position of a node, also if it was moved since. */
    const placeNow = async (place: AppendPoint): Promise<AppendPoint> => {
      const target = whereIs(place.id);
      if (target === place.id) return place;
      await flush();
      return readAppendPoint(store, target);
    };

    const rootOf = async (id: string): Promise<OlderRoot> => {
      const root = (await allRoots()).find((one) => one.id === id);
      if (!root) throw new FormatError('broken_tree', `Its root ${id} is not in ${ROOTS_FILE}.`);
      return root;
    };
    const placeAbove = async ({ parentId, rootId }: OlderNode): Promise<AppendPoint> => {
      if (parentId === rootId) return rootPlaces.get(rootId)!;
      const parent = await meet(parentId);
      if (!parent) throw new FormatError('broken_tree', `Its parent ${parentId} cannot be read.`);
      return parent.place;
    };
    const convert = async (older: string): Promise<ConvertedNode> => {
      const before = cache.get(older);
      const state = await fileState(folder, nodeFile(older));
      const isSame = before && isSameState(before.node.state, state);
      const node = isSame ? before.node : await readOlderNode(folder, older);
      const root = await rootOf(node.rootId);
      const above = await placeAbove(node);
      const isDone = isSame && before.parent === above.id && before.root.file.text === root.file.text;
      if (isDone && whereIs(before.id) === before.place.id) return before;
      const { place, records } = convertNode(node, root, above);
      // If the file has its former content again, the redirect that its change made is no longer valid.
      const former = known?.get(older)?.id;
      const isBack = former !== undefined && former !== place.id && whereIs(place.id) === whereIs(former);
      const seen = { node, root, id: place.id, parent: above.id, place: isBack ? place : await placeNow(place) };
      add(records);
      if (known) add(await makeChange(context, known, older, seen));
      cache.set(older, seen);
      return seen;
    };
    const meet = (older: string): Promise<ConvertedNode | undefined> => {
      let meeting = met.get(older);
      if (!meeting) {
        meeting = reporting(nodeFile(older), () => convert(older));
        met.set(older, meeting);
      }
      return meeting;
    };

    /** Like `meet`, for a node that is known already: its ancestors are not checked again. */
    const meetAlone = async (older: string): Promise<ConvertedNode | undefined> => {
      const before = cache.get(older);
      const isTrusted = before && !met.has(older) && whereIs(before.id) === before.place.id;
      if (isTrusted && isSameState(before.node.state, await fileState(folder, nodeFile(older))))
        met.set(older, Promise.resolve(before));
      return meet(older);
    };

    return {
      roots: allRoots,
      rootsAt: async (id) => (await allRoots()).filter((root) => rootPlaces.get(root.id)?.id === id),
      node: meet,
      async children(older) {
        const listed = isOlderNodeId(older)
          ? (await meetAlone(older))?.node.childIds
          : (await allRoots()).find(({ id }) => id === older)?.childIds;
        const found: ConvertedNode[] = [];
        for (const id of listed ?? []) {
          const child = await meet(id);
          if (child && child.node.parentId === older) found.push(child);
          else if (child)
            problems.report(
              nodeFile(id),
              new Error(`${older} lists it as a child, but its parent_id is ${child.node.parentId}.`),
            );
        }
        return found;
      },
      async *all() {
        for await (const older of everyOlderId(folder)) yield meet(older);
      },
      async refresh(older) {
        if (!known) return;
        const state = await fileState(folder, nodeFile(older));
        const before = known.get(older);
        if (!state) add(await makeRemoval(context, known, older));
        else if (state.mtime !== before?.mtime || state.size !== before.size) await meet(older);
      },
      add,
      flush,
    };
  }

  async function reporting<T>(file: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await read();
      problems.resolve(file);
      return result;
    } catch (error) {
      problems.report(file, error);
      return undefined;
    }
  }

  return { problems, scan };
}

function isSameState(a: FileState, b: FileState | undefined): boolean {
  return a.mtime === b?.mtime && a.size === b.size;
}

/**
 * Records what an older node became. If it became another node before, another program changed its file or that of an
 * ancestor: the former id is redirected to the new one, and the former node stays.
 */
async function makeChange(
  context: ForestContext,
  known: KnownNodes,
  older: string,
  { id, parent, node }: ConvertedNode,
): Promise<StoreRecord[]> {
  const before = known.get(older);
  const { mtime, size } = node.state;
  if (before?.id === id && before.parent === parent && before.mtime === mtime && before.size === size) return [];
  known.set(older, { id, parent, mtime, size });
  const records: StoreRecord[] = [knownRecord(older, { id, parent, mtime, size }, context.clock.tick())];
  if (!before || before.id === id) return records;
  // A file with its former content is no longer moved.
  const refs = await readRefs(context, 'node', [id, before.id], ['moved']);
  if (refs.some(({ key, value }) => key === id && value === before.id))
    records.push(makeRef(context, 'node', id, 'moved', false));
  // If another file has the same content at the same place, the node still belongs to this folder.
  if (known.becoming(before.id).length === 0) records.push(makeRef(context, 'node', before.id, 'moved', id));
  return records;
}

/** Removes a node whose file another program deleted. */
async function makeRemoval(context: ForestContext, known: KnownNodes, older: string): Promise<StoreRecord[]> {
  const before = known.get(older);
  if (!before) return [];
  known.delete(older);
  await readRefs(context, 'node', [before.id], ['removed']);
  const records: StoreRecord[] = [knownRecord(older, false, context.clock.tick())];
  if (known.becoming(before.id).length === 0) records.push(makeRef(context, 'node', before.id, 'removed', true));
  return records;
}

/** The node that an older node became, and the state of its file at that time. */
interface KnownNode extends FileState {
  readonly id: string;
  readonly parent: string;
}

/** The older nodes that were converted before. They are stored as refs and found by either id. */
interface KnownNodes {
  get(older: string): KnownNode | undefined;
  /** The older ids that became this node; several if files have the same content. */
  becoming(id: string): readonly string[];
  /** The older ids that were converted to children of this node. */
  below(id: string): readonly string[];
  set(older: string, known: KnownNode): void;
  delete(older: string): void;
}

function createKnownNodes(): KnownNodes {
  const known = new Map<string, KnownNode>();
  const byId = new Map<string, Set<string>>();
  const byParent = new Map<string, Set<string>>();
  const drop = (older: string) => {
    const before = known.get(older);
    if (!before) return;
    byId.get(before.id)?.delete(older);
    byParent.get(before.parent)?.delete(older);
    known.delete(older);
  };
  return {
    get: (older) => known.get(older),
    becoming: (id) => [...(byId.get(id) ?? [])],
    below: (id) => [...(byParent.get(id) ?? [])],
    set(older, now) {
      drop(older);
      known.set(older, now);
      add(byId, now.id, older);
      add(byParent, now.parent, older);
    },
    delete: drop,
  };
}

/** Loads the nodes that earlier runs converted. */
export async function loadKnownNodes(store: Store): Promise<KnownNodes> {
  const nodes = createKnownNodes();
  for await (const { key, value } of allItems((page) => store.refs({ on: 'older', names: ['node'], ...page })))
    if (isKnown(value)) nodes.set(key, value);
  return nodes;
}

/** The ref that stores a converted node; `false` removes it. */
function knownRecord(older: string, value: KnownNode | false, clock: string): RefRecord {
  return { k: 'ref', on: 'older', key: older, name: 'node', value, clock };
}

function isKnown(value: unknown): value is KnownNode {
  return (
    isObject(value) &&
    [value.id, value.parent].every((id) => typeof id === 'string') &&
    [value.mtime, value.size].every((number) => typeof number === 'number')
  );
}

function add(index: Map<string, Set<string>>, key: string, older: string): void {
  const ids = index.get(key);
  if (ids) ids.add(older);
  else index.set(key, new Set([older]));
}

/** Reads where nodes were moved to; again only if a move was written since. */
function createMoveReader(store: Store): () => Promise<(id: string) => string> {
  let moves = new Map<string, string>();
  let cursor: string | undefined;

  const load = async () => {
    moves = new Map();
    for await (const { key, value } of allItems((page) => store.refs({ on: 'node', names: ['moved'], ...page })))
      if (typeof value === 'string') moves.set(key, value);
  };

  return async () => {
    // The cursor is read first, so that moves written meanwhile are seen next time.
    const { items, next, reset } = await store.changes(cursor);
    const isFirst = cursor === undefined;
    cursor = next;
    if (isFirst || reset || items.some(({ kind, key }) => kind === 'ref' && key.endsWith('/moved'))) await load();
    return (id) => followMoves(id, moves);
  };
}

function followMoves(id: string, moves: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let at = id;
  // Moves of two writers at once could form a cycle.
  while (!seen.has(at)) {
    seen.add(at);
    at = moves.get(at) ?? at;
  }
  return at;
}
