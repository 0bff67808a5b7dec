import type { Command } from 'commander';
import { type ForestFlags, listingCommand } from '../command.ts';
import { findPlace } from '../find-place.ts';
import { nodeLine, nodeLines } from '../message-text.ts';
import { inWorld } from '../open-world.ts';
import { say, sayJson } from '../output.ts';
import { nodeView } from '../views.ts';

export function addLog(program: Command): void {
  listingCommand(program, 'log', 'a conversation from its first message to a node, or to where a thread stands')
    .argument('<node|thread>', 'an id, or the beginning of one')
    .option('--oneline', 'one line for each message')
    .action(showLog);
}

async function showLog(id: string, { json, oneline, ...flags }: ForestFlags & { readonly oneline?: boolean }) {
  await inWorld(flags, async ({ forest, redact }) => {
    const { node, thread } = await findPlace(forest, id);
    const path = await forest.path(node);
    if (json) return sayJson(redact({ ...(thread && { thread }), items: path.map(nodeView) }));
    for (const [index, one] of path.entries()) {
      if (oneline) say(nodeLine(one, redact));
      else say(`${index > 0 ? '\n' : ''}${nodeLines(one, redact).join('\n')}`);
    }
  });
}
