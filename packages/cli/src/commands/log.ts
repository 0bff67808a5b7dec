import { isDamage, readableNodes } from '@skein/forest';
import type { Command } from 'commander';
import { nodeLine, nodeLines } from '../output/message-text.ts';
import { nodeView } from '../output/node-view.ts';
import { say, sayJson } from '../output/output.ts';
import { findPlace } from '../world/find-place.ts';
import { inWorld } from '../world/open-world.ts';
import { type ForestFlags, jsonCommand } from './forest-command.ts';

export function addLog(program: Command): void {
  jsonCommand(program, 'log', 'a conversation from its first message to a node, or to where a thread stands')
    .argument('<node|thread>', 'an id, or the beginning of one')
    .option('--oneline', 'one line for each message')
    .action(showLog);
}

async function showLog(id: string, { json, oneline, ...flags }: ForestFlags & { readonly oneline?: boolean }) {
  await inWorld(flags, async ({ forest, redact }) => {
    const { node, thread } = await findPlace(forest, id);
    const path = await forest.path(node).catch(async (error: unknown) => {
      if (!isDamage(error)) throw error;
      return readableNodes(forest.store, await forest.store.path(await forest.resolve(node)));
    });
    if (json) return sayJson(redact({ ...(thread && { thread }), items: path.map(nodeView) }));
    for (const [index, one] of path.entries()) {
      if (oneline) say(nodeLine(one, redact));
      else say(`${index > 0 ? '\n' : ''}${nodeLines(one, redact).join('\n')}`);
    }
  });
}
