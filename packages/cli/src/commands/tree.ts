import { ROOT, type TopologyNode } from '@skein/forest';
import type { Command } from 'commander';
import { countOf, type ForestFlags, listingCommand } from '../command.ts';
import { findPlace } from '../find-place.ts';
import { nodeLine } from '../message-text.ts';
import { inWorld } from '../open-world.ts';
import { note, say, sayJson } from '../output.ts';

interface Options extends ForestFlags {
  readonly limit: number;
  readonly removed?: boolean;
}

export function addTree(program: Command): void {
  listingCommand(program, 'tree', 'what hangs below a node, or the whole forest')
    .argument('[node]', 'an id, or the beginning of one')
    .option('--limit <count>', 'how many nodes', countOf, 200)
    .option('--removed', 'also what was removed')
    .action(showTree);
}

async function showTree(id: string | undefined, { json, limit, removed, ...flags }: Options): Promise<void> {
  await inWorld(flags, async ({ forest, redact }) => {
    const below = id === undefined ? ROOT : (await findPlace(forest, id)).node;
    const page = await forest.topology({ below, limit, ...(removed && { withRemoved: true }) });
    if (json) return sayJson({ below, ...page });
    if (below !== ROOT) say(nodeLine(await forest.node(below), redact));
    for (const { id, indent } of drawn(page.items, below))
      say(`${indent}${nodeLine(await forest.node(id), redact, Math.max(20, 80 - indent.length))}`);
    if (page.items.length === 0) note('There is nothing below it.');
    if (page.next !== undefined) note(`There are more: --limit ${limit * 2}, or name a node.`);
  });
}

/** Nodes in the order of the lines, each with what stands before it. Only where a history parts it moves to the right. */
function drawn(items: readonly TopologyNode[], top: string): { id: string; indent: string }[] {
  const below = new Map<string, string[]>();
  for (const { id, parent } of items) below.set(parent, [...(below.get(parent) ?? []), id]);
  const lines: { id: string; indent: string }[] = [];
  // A list in place of recursion: a conversation can be deeper than the stack.
  const open = [{ id: top, first: '', rest: '' }];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.id !== top) lines.push({ id: at.id, indent: at.first });
    const children = below.get(at.id) ?? [];
    const { rest } = at;
    const next = children.map((id, index) => {
      if (children.length === 1) return { id, first: rest, rest };
      const isLast = index === children.length - 1;
      return { id, first: `${rest}${isLast ? '└─ ' : '├─ '}`, rest: `${rest}${isLast ? '   ' : '│  '}` };
    });
    open.push(...next.toReversed());
  }
  return lines;
}
