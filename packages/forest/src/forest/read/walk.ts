import { ROOT } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import type { Page, PageRequest, Store } from '../../store/index.ts';
import { badPageError, pageLimit } from '../pages.ts';
import { areHidden, findHidden } from './hidden.ts';
import { resolveId } from './resolve.ts';

/** Whether removed nodes are included. Default: they are not. */
export interface WithRemoved {
  readonly withRemoved?: boolean;
}

/** Which page of nodes to read. */
export interface NodePageRequest extends PageRequest, WithRemoved {}

/** A node that a walk visits. */
export interface WalkStep {
  readonly record: NodeRecord;
  /** Whether the node or a node above it was removed. */
  readonly removed: boolean;
  /** Whether the walk visits none of its children. */
  readonly isLeaf: boolean;
}

/** The node below which a walk visits. */
export interface WalkStart {
  readonly id: string;
  readonly removed: boolean;
}

/** A page of the children of a node, and how many of them were visited. */
interface Level {
  readonly parent: string;
  /** The depth of the parent; absent for the node where the walk starts. */
  readonly depth?: number;
  readonly removed: boolean;
  readonly after?: string;
  done: number;
  page?: readonly Child[];
  next?: string | undefined;
}

interface Child {
  readonly record: NodeRecord;
  readonly removed: boolean;
  readonly hasChildren: boolean;
}

const LEVEL_SIZE = 200;

/**
 * Reads a page of the nodes below a node, parents before their children. The cursor names only the levels that have more to
 * visit, each in a few characters, so that it stays short enough for a URL even when every level branches.
 */
export async function walkBelow(
  store: Store,
  top: WalkStart,
  request: NodePageRequest,
  isWanted: (step: WalkStep) => boolean = () => true,
): Promise<Page<WalkStep>> {
  const { withRemoved = false } = request;
  const limit = pageLimit(request);
  const levels = request.after === undefined ? [newLevel(top)] : await readLevels(store, top, request.after);
  const items: WalkStep[] = [];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const page = await open(store, level);
    const child = page[level.done];
    if (!child) {
      levels.pop();
      if (level.next !== undefined) levels.push(behind(level, level.next));
      continue;
    }
    if (child.removed && !withRemoved) {
      level.done += 1;
      continue;
    }
    const below = child.hasChildren ? await firstLevel(store, child, withRemoved) : undefined;
    const step = { record: child.record, removed: child.removed, isLeaf: below === undefined };
    if (isWanted(step)) {
      // Checked before it is added, so that a next page is never empty.
      if (items.length === limit) return { items, next: writeLevels(levels) };
      items.push(step);
    }
    level.done += 1;
    if (below) levels.push(below);
  }
  return { items };
}

/** Yields every node below a node, without the node itself. */
export async function* walkAll(store: Store, top: WalkStart, withRemoved = false): AsyncGenerator<WalkStep> {
  for (let after: string | undefined; ; ) {
    const page = await walkBelow(store, top, { limit: 1000, withRemoved, ...(after !== undefined && { after }) });
    yield* page.items;
    if (page.next === undefined) return;
    after = page.next;
  }
}

function newLevel({ id, removed }: WalkStart, depth?: number): Level {
  return { parent: id, removed, done: 0, ...(depth !== undefined && { depth }) };
}

/** The next page of the same children. */
function behind({ parent, removed, depth }: Level, after: string): Level {
  return { ...newLevel({ id: parent, removed }, depth), after };
}

async function open(store: Store, level: Level): Promise<readonly Child[]> {
  if (level.page) return level.page;
  const { parent, after, done } = level;
  const found = await store.children(parent, {
    limit: Math.max(LEVEL_SIZE, done + 1),
    ...(after !== undefined && { after }),
  });
  const ids = found.items.map(({ id }) => id);
  const [hidden, counts] = await Promise.all([findHidden(store, ids), store.childCounts(ids)]);
  level.next = found.next;
  level.page = found.items.map((record, index) => ({
    record,
    removed: level.removed || hidden.has(record.id),
    hasChildren: counts[index]! > 0,
  }));
  return level.page;
}

/** Returns the level below a child, at its first page with a visible node; undefined when there is none. */
async function firstLevel(store: Store, { record, removed }: Child, withRemoved: boolean): Promise<Level | undefined> {
  let level = newLevel({ id: record.id, removed }, record.depth);
  for (;;) {
    const page = await open(store, level);
    if (page.some((child) => withRemoved || !child.removed)) return level;
    if (level.next === undefined) return undefined;
    level = behind(level, level.next);
  }
}

/** A level in a cursor. Its parent is not written: it is found by its depth on the path to the deepest level. */
type LevelCursor = readonly [depth: number, done: number, removed?: 1 | 0, after?: string];

const TOP = -1;

function writeLevels(levels: readonly Level[]): string {
  const open = levels.filter(({ page, done, next }) => !page || done < page.length || next !== undefined);
  const places = open.map(({ depth = TOP, done, removed, after }): LevelCursor => {
    if (after !== undefined) return [depth, done, removed ? 1 : 0, after];
    return removed ? [depth, done, 1] : [depth, done];
  });
  return [open.at(-1)!.parent, ...places.map((place) => place.map(writePart).join('.'))].join('_');
}

/** Escapes the two characters that separate the parts of a cursor. */
function writePart(part: string | number | undefined): string {
  return encodeURIComponent(String(part)).replace(/[._]/g, (mark) => (mark === '.' ? '%2E' : '%5F'));
}

async function readLevels(store: Store, top: WalkStart, text: string): Promise<Level[]> {
  const [deepest = '', ...places] = text.split('_');
  if (places.length === 0 || !/^[0-9a-f]{40}$/.test(deepest)) throw badPageError(text);
  const path = deepest === top.id ? [] : await store.path(deepest);
  const parents = new Map([[TOP, top.id], ...path.map(({ depth, id }) => [depth, id] as const)]);
  try {
    return places.map((place) => readLevel(place, parents));
  } catch {
    throw badPageError(text);
  }
}

function readLevel(place: string, parents: ReadonlyMap<number, string>): Level {
  const [depth, done = '', removed, after] = place.split('.');
  const id = parents.get(Number(depth));
  if (id === undefined || !/^\d{1,9}$/.test(done)) throw new RangeError(place);
  const level = newLevel({ id, removed: removed === '1' }, Number(depth) === TOP ? undefined : Number(depth));
  return { ...level, done: Number(done), ...(after !== undefined && { after: decodeURIComponent(after) }) };
}

/** Resolves the node where a walk starts, and whether it is hidden. */
export async function resolveWalkStart(store: Store, id: string): Promise<WalkStart> {
  const full = await resolveId(store, id);
  if (full === ROOT) return { id: ROOT, removed: false };
  const [record] = await store.nodes([full]);
  const [removed] = await areHidden(store, [record!]);
  return { id: full, removed: removed! };
}
