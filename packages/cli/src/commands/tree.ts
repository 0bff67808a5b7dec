import { isDamage, ROOT } from '@skein/forest';
import type { Command } from 'commander';
import { nodeLine } from '../output/message-text.ts';
import { note, say, sayJson, short } from '../output/output.ts';
import { drawn } from '../output/tree-lines.ts';
import { findPlace } from '../world/find-place.ts';
import { inWorld } from '../world/open-world.ts';
import { countOf, type ForestFlags, jsonCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly limit: number;
  readonly removed?: boolean;
}

export function addTree(program: Command): void {
  jsonCommand(program, 'tree', 'what hangs below a node, or the whole forest')
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
    const line = async (id: string, indent: string) => {
      try {
        return nodeLine(await forest.node(id), redact, Math.max(20, 80 - indent.length));
      } catch (error) {
        if (!isDamage(error)) throw error;
        return `${short(id)} (damaged)`;
      }
    };
    if (below !== ROOT) say(nodeLine(await forest.node(below), redact));
    for (const { id, indent } of drawn(page.items, below)) say(`${indent}${await line(id, indent)}`);
    if (page.items.length === 0) note('There is nothing below it.');
    if (page.next !== undefined) note(`There are more: --limit ${limit * 2}, or name a node.`);
  });
}
