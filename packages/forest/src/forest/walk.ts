import type { NodeRecord } from '../model/index.ts';
import type { Page, Store } from '../store/index.ts';
import { badPage, pageLimit } from './pages.ts';
import { hiddenAmong } from './removed.ts';
import type { NodePageRequest } from './types.ts';

/** A node met on a walk. */
export interface Step {
  readonly record: NodeRecord;
  /** It, or a node above it, was removed. */
  readonly removed: boolean;
  /** It has no children that the walk goes to. */
  readonly isLeaf: boolean;
}

/** Where a walk begins. */
export interface Top {
  readonly id: string;
  readonly removed: boolean;
}

/** The children of a node from a place on: where a page of them begins, and how many of it are done. */
interface Level {
  readonly parent: string;
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
 * that have more to come, so a long path without branches makes it no longer.
 */
export async function walkBelow(
  store: Store,
  top: Top,
  request: NodePageRequest,
  isWanted: (step: Step) => boolean = () => true,
): Promise<Page<Step>> {
  const { withRemoved = false } = request;
  const limit = pageLimit(request);
  const levels = request.after === undefined ? [levelOf(top)] : readLevels(request.after);
  const items: Step[] = [];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const page = await open(store, level);
    const child = page[level.done];
    if (!child) {
      levels.pop();
      if (level.next !== undefined) levels.push({ ...levelOf({ ...level, id: level.parent }), after: level.next });
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
export async function* everyStep(store: Store, top: Top, withRemoved = false): AsyncGenerator<Step> {
  for (let after: string | undefined; ; ) {
    const page = await walkBelow(store, top, { limit: 1000, withRemoved, ...(after !== undefined && { after }) });
    yield* page.items;
    if (page.next === undefined) return;
    after = page.next;
  }
}

function levelOf({ id, removed }: Top): Level {
  return { parent: id, removed, done: 0 };
}

async function open(store: Store, level: Level): Promise<readonly Child[]> {
  if (level.page) return level.page;
  const { parent, after, done } = level;
  const found = await store.children(parent, {
    limit: Math.max(LEVEL_SIZE, done + 1),
    ...(after !== undefined && { after }),
  });
  const ids = found.items.map(({ id }) => id);
  const [hidden, counts] = await Promise.all([hiddenAmong(store, ids), store.childCounts(ids)]);
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
  let level = levelOf({ id: record.id, removed });
  for (;;) {
    const page = await open(store, level);
    if (page.some((child) => withRemoved || !child.removed)) return level;
    if (level.next === undefined) return undefined;
    level = { ...levelOf({ id: record.id, removed }), after: level.next };
  }
}

function writeLevels(levels: readonly Level[]): string {
  const open = levels.filter(({ page, done, next }) => !page || done < page.length || next !== undefined);
  return JSON.stringify(open.map(({ parent, removed, done, after }) => [parent, removed ? 1 : 0, done, after ?? '']));
}

function readLevels(text: string): Level[] {
  try {
    const levels: unknown = JSON.parse(text);
    if (Array.isArray(levels)) return levels.map((level) => readLevel(level, text));
  } catch {
    // Said below, for whatever is not ours.
  }
  throw badPage(text);
}

function readLevel(level: unknown, text: string): Level {
  const [parent, removed, done, after] = Array.isArray(level) ? level : [];
  if (typeof parent !== 'string' || !Number.isSafeInteger(done) || done < 0 || typeof after !== 'string')
    throw badPage(text);
  return { parent, removed: removed === 1, done, ...(after !== '' && { after }) };
}
