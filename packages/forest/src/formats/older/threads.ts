import { canonical } from '@skein/core';
import { type ForestContext, makeRef, makeTitle, readRefs, shortenTitle } from '../../forest/index.ts';
import type { RefRecord } from '../../model/index.ts';
import { readTime } from '../source/exact-json.ts';
import { sourceStamp } from '../write-conversation.ts';
import { readOlderTime, rootFacts } from './convert.ts';
import type { ConvertedNode, FolderScan } from './converter.ts';
import type { OlderRoot } from './older-files.ts';

/** Adds a thread for each first message of a root. Its head is found by following the last child each time. */
export async function addThreads(scan: FolderScan): Promise<string[]> {
  const threads: string[] = [];
  for (const root of await scan.roots()) {
    for (const first of await scan.children(root.id)) {
      const records = threadRecords(first, await lastBelow(scan, first));
      scan.add(records);
      threads.push(records[0]!.key);
    }
  }
  return threads;
}

async function lastBelow(scan: FolderScan, first: ConvertedNode): Promise<ConvertedNode> {
  let at = first;
  for (let next: ConvertedNode | undefined = first; next; next = (await scan.children(at.node.id)).at(-1)) at = next;
  return at;
}

function threadRecords(first: ConvertedNode, head: ConvertedNode): RefRecord[] {
  const created = readOlderTime(first.node, first.root);
  const touched = readOlderTime(head.node, head.root);
  const { message } = first.node;
  const title = makeTitle([message]) || shortenTitle(message.text);
  const values = { start: first.id, head: head.place.id, title, created, touched };
  const clock = sourceStamp(Math.max(created, touched));
  return refsOn('thread', threadKey(first), values, clock);
}

function threadKey({ node }: ConvertedNode): string {
  return `older:${node.id.replace('/', ':')}`;
}

/**
 * The refs that hide the conversations of a root, or show them again. Nodes shared with a root that is not deleted stay
 * visible.
 */
export async function hidingRecords(scan: FolderScan, root: OlderRoot, deleted: boolean): Promise<RefRecord[]> {
  const shared = new Set<string>();
  for (const other of await scan.roots())
    if (!other.deleted) for (const { id } of await scan.children(other.id)) shared.add(id);
  const stamp = sourceStamp((readTime(root.createdAt) ?? 0) + 1);
  return (await scan.children(root.id)).flatMap((first) => [
    ...refsOn('thread', threadKey(first), { deleted }, stamp),
    ...(deleted && shared.has(first.id) ? [] : refsOn('node', first.id, { removed: deleted }, stamp)),
  ]);
}

function refsOn(
  on: RefRecord['on'],
  key: string,
  values: Readonly<Record<string, unknown>>,
  clock: string,
): RefRecord[] {
  return Object.entries(values).map(([name, value]) => ({ k: 'ref', on, key, name, value, clock }));
}

/** Hides the roots that were deleted in the folder. Each deletion counts once, so what is restored here stays. */
export async function hideDeletedRoots(scan: FolderScan, context: ForestContext): Promise<void> {
  const roots = await scan.roots();
  const keys = roots.map(({ id }) => id);
  const stored = await readRefs(context, 'older', keys, ['root']);
  const before = new Map(stored.map(({ key, value }) => [key, value as { deleted?: unknown }]));
  for (const root of roots) {
    const facts = rootFacts(root);
    const there = before.get(root.id);
    if (there && canonical(JSON.stringify(there)) === canonical(JSON.stringify(facts))) continue;
    scan.add([makeRef(context, 'older', root.id, 'root', facts)]);
    if ((there?.deleted === true) === root.deleted) continue;
    for (const { on, key, name, value } of await hidingRecords(scan, root, root.deleted)) {
      await readRefs(context, on, [key], [name]);
      scan.add([makeRef(context, on, key, name, value)]);
    }
  }
}
