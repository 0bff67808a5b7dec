import { ROOT } from '@skein/forest';
import type { Command } from 'commander';
import { type ForestFlags, listingCommand } from '../command.ts';
import { findPlace } from '../find-place.ts';
import { nodeLines } from '../message-text.ts';
import { inWorld } from '../open-world.ts';
import { colors, say, sayJson, short } from '../output.ts';
import { nodeView } from '../views.ts';

export function addDiff(program: Command): void {
  listingCommand(program, 'diff', 'where two conversations part, and what each has behind that')
    .argument('<a>', 'a node or a thread')
    .argument('<b>', 'another one')
    .action(showDifference);
}

async function showDifference(a: string, b: string, { json, ...flags }: ForestFlags): Promise<void> {
  await inWorld(flags, async ({ forest, redact }) => {
    const [left, right] = [await findPlace(forest, a), await findPlace(forest, b)];
    const found = await forest.diff(left.node, right.node);
    if (json) return sayJson(redact({ ...found, a: found.a.map(nodeView), b: found.b.map(nodeView) }));
    const shared = found.shared === ROOT ? 'They share nothing' : `They share ${count(found.sharedLength)}`;
    say(colors.dim(`${shared}${found.shared === ROOT ? '' : `, up to ${short(found.shared)}`}.`));
    for (const node of found.a) for (const line of nodeLines(node, redact)) say(colors.red(`- ${line}`));
    for (const node of found.b) for (const line of nodeLines(node, redact)) say(colors.green(`+ ${line}`));
  });
}

const count = (messages: number) => (messages === 1 ? 'one message' : `${messages} messages`);
