import { type NodeRecord, ROOT } from '../../model/index.ts';
import type { Page, PageRequest, Store } from '../../store/index.ts';
import { badPageError, pageLimit } from '../pages.ts';

import { areHidden, findHidden } from './hidden.ts';
import { resolveId } from './resolve.ts';

/** Removed nodes are left out unless they are asked for. */
export interface WithRemoved {
  readonly withRemoved?: boolean;
}

export interface NodePageRequest extends PageRequest, WithRemoved {}

/** A node met on a walk. */
export interface WalkStep {
  readonly record: NodeRecord;
  /** It, or a node above it, was removed. */
  readonly removed: boolean;
  /** It has no children that the walk goes to. */
  readonly isLeaf: boolean;
}

/** Where a walk begins. */
export interface WalkStart {
  readonly id: string;
  readonly removed: boolean;
}

/** The children of a node from a place on: where a page of them begins, and how many of it are done. */
interface Level {
  readonly parent: string;
  /** Of the parent; the top has none. */
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
 * A page of what stands below a node, parents before their children. The place where it ends names only the levels
 * that have more to come, so a long path without branches makes it no longer, and each of them in a few characters,
 * so that a path that branches everywhere still fits into an address.
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
      // Asked before it is taken: there is a next page only when there is something on it.
      if (items.length === limit) return { items, next: writeLevels(levels) };
      items.push(step);
    }
    level.done += 1;
    if (below) levels.push(below);
  }
  return { items };
}

/** Everything below a node, the node itself left out. */
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

/** The same children, from the next page on. */
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

/** The level below a child, from the first page on that has anything to show; undefined when none has. */
async function firstLevel(store: Store, { record, removed }: Child, withRemoved: boolean): Promise<Level | undefined> {
  let level = newLevel({ id: record.id, removed }, record.depth);
  for (;;) {
    const page = await open(store, level);
    if (page.some((child) => withRemoved || !child.removed)) return level;
    if (level.next === undefined) return undefined;
    level = behind(level, level.next);
  }
}

/** What is known of a level but its parent, which is found on the path to the deepest one. */
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

/** Without the two marks between parts. */
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

/** Where a walk begins, and whether that is hidden itself. */
export async function resolveWalkStart(store: Store, id: string): Promise<WalkStart> {
  const full = await resolveId(store, id);
  if (full === ROOT) return { id: ROOT, removed: false };
  const [record] = await store.nodes([full]);
  const [removed] = await areHidden(store, [record!]);
  return { id: full, removed: removed! };
}
