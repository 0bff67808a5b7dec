import { isSkeinError, type SkeinErrorCode } from '@skein/core';
import { type Forest, ForestError, type ForestNode, ROOT, readableNodes, type Thread } from '@skein/forest';
import { note, UsageError } from '../output/output.ts';

/** What an id refers to: a node, or a thread and its head. */
interface Location {
  readonly node: string;
  readonly thread?: Thread;
}

/** Finds a thread or a node by its id, or by the beginning of its id. */
export async function locate(forest: Forest, id: string): Promise<Location> {
  const thread = await forest.threads.get(id).catch(unless('unknown_thread'));
  if (thread) return { node: thread.head, thread };
  const node = await forest.resolve(id).catch(unless('unknown_node', 'not_an_id'));
  // A long beginning of a node's id is not that of a thread by accident.
  if (node !== undefined && id.length >= SURE_LENGTH) return { node };
  const found = id.length < 4 ? [] : await threadsLike(forest, id);
  if (node !== undefined && found.length === 0) return { node };
  if (node === undefined && found.length === 1) return { node: found[0]!.head, thread: found[0]! };
  const candidates = [
    ...(node === undefined ? [] : [`node ${node.slice(0, 12)}`]),
    ...found.map((one) => `thread ${one.id}`),
  ];
  throw found.length > 0
    ? new ForestError(
        'ambiguous_id',
        id,
        `"${id}" is the beginning of several ids (${candidates.slice(0, 6).join(', ')}): give more of it.`,
      )
    : new ForestError(
        'unknown_node',
        id,
        `There is no node or thread "${id.slice(0, 60)}" in this forest. "skein threads" and "skein tree" list them.`,
      );
}

const SURE_LENGTH = 12;

/** The threads whose ids begin like this, with or without `import-`. Deleted ones count if there is no other. */
async function threadsLike(forest: Forest, start: string): Promise<Thread[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await forest.store.refs({
      on: 'thread',
      names: ['head'],
      limit: 1000,
      ...(after !== undefined && { after }),
    });
    ids.push(
      ...page.items.flatMap(({ key }) => (key.startsWith(start) || key.startsWith(`import-${start}`) ? [key] : [])),
    );
    if (page.next === undefined) break;
    after = page.next;
  }
  const found = await Promise.all(ids.map((id) => forest.threads.get(id)));
  const living = found.filter(({ deleted }) => !deleted);
  return living.length > 0 ? living : found;
}

function unless(...codes: readonly SkeinErrorCode[]) {
  return (error: unknown): undefined => {
    if (isSkeinError(error, ...codes)) return undefined;
    throw error;
  };
}

/** The readable part of a path. */
export function readablePath(forest: Forest, node: string): Promise<readonly ForestNode[]> {
  return forest.path(node).catch(async (error: unknown) => {
    if (!isSkeinError(error, 'damaged', 'unknown_body')) throw error;
    return readableNodes(forest.store, await forest.store.path(await forest.resolve(node)));
  });
}

/** The place where new messages are appended. */
export interface WriteLocation extends Location {
  /** Whether new messages go into a fork of the thread. */
  readonly forks: boolean;
}

/**
 * Finds where new messages go. A thread is continued at its head; a recorded thread is forked, because only its program
 * may continue it. If exactly one thread ends at a node, that thread is continued. Any other thread through the node is
 * forked, so that its system text and tools are kept.
 */
export async function locateStart(forest: Forest, id: string | undefined): Promise<WriteLocation> {
  if (id === undefined) return { node: ROOT, forks: false };
  const { node, thread } = await locate(forest, id);
  if (thread) return { node, thread, forks: thread.recorded };
  const through = await threadsThrough(forest, node);
  const [newest] = through;
  if (!newest) return { node, forks: false };
  const isItsEnd = through.length === 1 && newest.head === node && !newest.recorded;
  return { node, thread: newest, forks: !isItsEnd };
}

/** The thread to write into; undefined for a new one. Prints the id of a fork, because the user needs it to continue. */
export async function threadToWrite(
  forest: Forest,
  { node, thread, forks }: WriteLocation,
): Promise<Thread | undefined> {
  if (!thread || !forks) return thread;
  const fork = await forest.threads.fork(thread.id, { at: node });
  const why = thread.recorded ? 'was recorded, and only its program goes on with it' : 'stays as it is';
  note(`Thread ${thread.id} ${why}: this goes on in a fork, thread ${fork.id}.`);
  return fork;
}

/** The id of the conversation that changed last, without recorded ones, and without sessions and side calls of agents. */
export async function newestThread(forest: Forest): Promise<string> {
  for (let after: string | undefined; ; ) {
    const page = await forest.threads.list({ limit: 50, ...(after !== undefined && { after }) });
    const found = page.items.find(({ recorded, agent, part }) => !recorded && agent === undefined && part === 'main');
    if (found) return found.id;
    if (page.next === undefined)
      throw new UsageError('There is no conversation to continue yet: leave -c out, or name one with --at.');
    after = page.next;
  }
}

/** At most two threads, the last changed first: callers only ask whether there is exactly one. */
async function threadsThrough(forest: Forest, node: string): Promise<Thread[]> {
  const found: Thread[] = [];
  for (const thread of await forest.threads.of(node)) {
    const path = await forest.store.path(thread.head);
    if (path.some(({ id }) => id === node)) found.push(thread);
    if (found.length === 2) break;
  }
  return found;
}
