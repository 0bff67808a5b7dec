import { ROOT } from '@skein/forest';
import type { Command } from 'commander';
import { nodeLines } from '../output/message-text.ts';
import { nodeView } from '../output/node-view.ts';
import { colors, counted, say, sayJson, short } from '../output/output.ts';
import { findPlace } from '../world/find-place.ts';
import { inWorld } from '../world/open-world.ts';
import { type ForestFlags, jsonCommand } from './forest-command.ts';

export function addDiff(program: Command): void {
  jsonCommand(program, 'diff', 'where two conversations part, and what each has behind that')
    .argument('<a>', 'a node or a thread')
    .argument('<b>', 'another one')
    .action(showDifference);
}

async function showDifference(a: string, b: string, { json, ...flags }: ForestFlags): Promise<void> {
  await inWorld(flags, async ({ forest, redact }) => {
    const [left, right] = [await findPlace(forest, a), await findPlace(forest, b)];
    const found = await forest.diff(left.node, right.node);
    if (json) return sayJson(redact({ ...found, a: found.a.map(nodeView), b: found.b.map(nodeView) }));
    const shared =
      found.shared === ROOT ? 'They share nothing' : `They share ${counted(found.sharedLength, 'message')}`;
    say(colors.dim(`${shared}${found.shared === ROOT ? '' : `, up to ${short(found.shared)}`}.`));
    for (const node of found.a) for (const line of nodeLines(node, redact)) say(colors.red(`- ${line}`));
    for (const node of found.b) for (const line of nodeLines(node, redact)) say(colors.green(`+ ${line}`));
  });
}
