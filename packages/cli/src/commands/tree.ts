import { isSkeinError } from '@skein/core';
import { type Forest, type ForestNode, ROOT, type Thread, type TopologyNode } from '@skein/forest';
import type { Command } from 'commander';
import { type CommandContext, withForest } from '../context/command-context.ts';
import { locate, readablePath } from '../context/locate.ts';
import { changeText, drawTree, nodeLine } from '../output/message-text.ts';
import { colors, note, say, sayJson, shortId } from '../output/output.ts';
import { type ForestFlags, jsonCommand, parseCount } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly limit: number;
  readonly removed?: boolean;
}

export function addTree(program: Command): void {
  jsonCommand(program, 'tree', 'the tree around a thread, what hangs below a node, or the whole forest')
    .argument('[node|thread]', 'an id, or the beginning of one')
    .option('--limit <count>', 'how many nodes', parseCount, 200)
    .option('--removed', 'also what was removed')
    .action(showTree);
}

async function showTree(id: string | undefined, options: Options): Promise<void> {
  const { json, limit, removed, ...flags } = options;
  await withForest(flags, async (context) => {
    const { forest, redact } = context;
    const place = id === undefined ? { node: ROOT } : await locate(forest, id);
    if (place.thread && place.node !== ROOT) return showAround(context, place.thread, options);
    const below = place.node;
    const page = await forest.topology({ below, limit, ...(removed && { withRemoved: true }) });
    if (json) return sayJson({ below, ...page });
    if (below !== ROOT) say(nodeLine(await forest.node(below), redact));
    for (const { id, indent } of drawTree(page.items, below)) say(`${indent}${await lineAt(context, id, indent)}`);
    if (page.items.length === 0) note('There is nothing below it.');
    if (page.next !== undefined) note(`There are more: --limit ${limit * 2}, or name a node.`);
  });
}

/** One line of the tree; a damaged node keeps its place in it. */
async function lineAt({ forest, redact }: CommandContext, id: string, indent: string): Promise<string> {
  try {
    return nodeLine(await forest.node(id), redact, Math.max(20, 78 - indent.length));
  } catch (error) {
    if (!isSkeinError(error, 'damaged', 'unknown_body')) throw error;
    return `${shortId(id)} (damaged)`;
  }
}

/** The path of a thread, marked, with the branches that leave it. */
async function showAround(context: CommandContext, thread: Thread, { json, limit, removed }: Options): Promise<void> {
  const { forest, redact } = context;
  const path = await readablePath(forest, thread.head);
  const top = path[0]!.parent;
  const { items, isMore } = await around(forest, path, { limit, withRemoved: removed === true });
  const changes = await forest.contextChanges(thread.id);
  if (json) {
    const ids = path.map(({ id }) => id);
    return sayJson(redact({ thread, path: ids, changes, below: top, items, isMore }));
  }
  const onPath = new Set(path.map(({ id }) => id));
  const changed = new Map(changes.map((change) => [change.node, changeText(change)]));
  for (const { id, indent } of drawTree(byAge(items), top)) {
    const change = changed.has(id) ? colors.yellow(` (${changed.get(id)})`) : '';
    say(`${onPath.has(id) ? '*' : ' '} ${indent}${await lineAt(context, id, indent)}${change}`);
  }
  if (isMore) note(`There are more: --limit ${limit * 2}, or name a node.`);
}

/** The whole path, and from its end upwards what hangs beside and below it, as far as the limit goes. */
async function around(
  forest: Forest,
  path: readonly ForestNode[],
  { limit, withRemoved }: { readonly limit: number; readonly withRemoved: boolean },
): Promise<{ readonly items: readonly TopologyNode[]; readonly isMore: boolean }> {
  const items = path.map(topologyOf);
  const onPath = new Set(path.map(({ id }) => id));
  let isMore = false;
  for (const { id } of path.toReversed()) {
    const left = limit - items.length;
    if (left <= 0) return { items, isMore: true };
    const children = await forest.children(id, { limit: left, withRemoved });
    const beside = children.items.filter((child) => !onPath.has(child.id));
    isMore ||= children.next !== undefined;
    items.push(...beside.map(topologyOf));
    for (const branch of beside) {
      const room = limit - items.length;
      if (room <= 0) return { items, isMore: true };
      const page = await forest.topology({ below: branch.id, limit: room, withRemoved });
      items.push(...page.items);
      isMore ||= page.next !== undefined;
    }
  }
  return { items, isMore };
}

/** Siblings stand oldest first, as everywhere. */
const byAge = (items: readonly TopologyNode[]) => items.toSorted((a, b) => a.at - b.at);

function topologyOf({ id, parent, depth, role, at, removed, takes }: ForestNode): TopologyNode {
  const { model, provider } = takes.findLast((take) => take.model !== undefined) ?? {};
  return {
    id,
    parent,
    depth,
    role,
    at,
    removed,
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
  };
}
