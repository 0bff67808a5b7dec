import { type Forest, ROOT, type Thread } from '@skein/forest';
import { note } from '../output/output.ts';
import { findPlace, type Place } from './find-place.ts';

/** Where a conversation begins or goes on. */
export interface Start extends Place {
  /** The thread stays as it is: what is written goes into a fork of it. */
  readonly forks: boolean;
}

/**
 * A thread is gone on with where it stands, unless it was recorded: only its client moves it. A node is where the one thread
 * that ends there goes on; any other conversation through it is forked, so that its system text and tools come along.
 */
export async function startAt(forest: Forest, id: string | undefined): Promise<Start> {
  if (id === undefined) return { node: ROOT, forks: false };
  const { node, thread } = await findPlace(forest, id);
  if (thread) return { node, thread, forks: thread.recorded };
  const through = await threadsThrough(forest, node);
  const [newest] = through;
  if (!newest) return { node, forks: false };
  const isItsEnd = through.length === 1 && newest.head === node && !newest.recorded;
  return { node, thread: newest, forks: !isItsEnd };
}

/** The thread to write into; undefined where a new one begins. A fork is said, because its id is the one to go on with. */
export async function threadToWrite(forest: Forest, { node, thread, forks }: Start): Promise<Thread | undefined> {
  if (!thread || !forks) return thread;
  const fork = await forest.threads.fork(thread.id, { at: node });
  const why = thread.recorded ? 'was recorded, and only its program goes on with it' : 'stays as it is';
  note(`Thread ${thread.id} ${why}: this goes on in a fork, thread ${fork.id}.`);
  return fork;
}

/** Last changed first; two are enough to know that there is not just one. */
async function threadsThrough(forest: Forest, node: string): Promise<Thread[]> {
  const found: Thread[] = [];
  for (const thread of await forest.threads.of(node)) {
    const path = await forest.store.path(thread.head);
    if (path.some(({ id }) => id === node)) found.push(thread);
    if (found.length === 2) break;
  }
  return found;
}
