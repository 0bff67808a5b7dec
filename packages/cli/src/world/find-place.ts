import { isSkeinError, type SkeinErrorCode } from '@skein/core';
import { type Forest, ForestError, type ForestNode, readableNodes, type Thread } from '@skein/forest';

/** What a person meant by an id: a thread and where it stands, or a node. */
export interface Place {
  readonly node: string;
  readonly thread?: Thread;
}

/** A thread by its id or the beginning of it, or a node by its id or the beginning of it. */
export async function findPlace(forest: Forest, id: string): Promise<Place> {
  const thread = await forest.threads.get(id).catch(unless('unknown_thread'));
  if (thread) return { node: thread.head, thread };
  const node = await forest.resolve(id).catch(unless('unknown_node', 'not_an_id'));
  if (node !== undefined) return { node };
  const found = id.length < 4 ? [] : await threadsLike(forest, id);
  if (found.length === 1) return { node: found[0]!.head, thread: found[0]! };
  throw found.length > 1
    ? new ForestError('ambiguous_id', id, `"${id}" is the beginning of several threads: give more of it.`)
    : new ForestError(
        'unknown_node',
        id,
        `There is no node or thread "${id.slice(0, 60)}" in this forest. "skein threads" and "skein tree" list them.`,
      );
}

async function threadsLike(forest: Forest, start: string): Promise<Thread[]> {
  const found: Thread[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = await forest.threads.list({ limit: 500, ...(after !== undefined && { after }) });
    found.push(...page.items.filter(({ id }) => id.startsWith(start)));
    after = page.next;
    more = after !== undefined;
  }
  return found;
}

function unless(...codes: readonly SkeinErrorCode[]) {
  return (error: unknown): undefined => {
    if (isSkeinError(error, ...codes)) return undefined;
    throw error;
  };
}

/** The path as far as it can be read. */
export function readablePath(forest: Forest, node: string): Promise<readonly ForestNode[]> {
  return forest.path(node).catch(async (error: unknown) => {
    if (!isSkeinError(error, 'damaged', 'unknown_body')) throw error;
    return readableNodes(forest.store, await forest.store.path(await forest.resolve(node)));
  });
}
