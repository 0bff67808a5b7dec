import type { TakeRecord } from '@skein/forest';
import { type Command, Option } from 'commander';
import { nodeLines } from '../output/message-text.ts';
import { nodeView } from '../output/node-view.ts';
import { colors, harmless, oneLine, say, sayExactly, sayJson, short, when } from '../output/output.ts';
import { findPlace } from '../world/find-place.ts';
import { inWorld } from '../world/open-world.ts';
import { type ForestFlags, jsonCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly raw?: boolean;
  readonly request?: boolean;
}

export function addShow(program: Command): void {
  jsonCommand(program, 'show', 'one message, and how it came to be')
    .argument('<node>', 'an id, or the beginning of one')
    .addOption(new Option('--raw', 'the exact text that is stored, and nothing else').conflicts(['request', 'json']))
    .addOption(new Option('--request', 'the exact bytes that were sent for it').conflicts('json'))
    .action(showNode);
}

async function showNode(id: string, { json, raw, request, ...flags }: Options): Promise<void> {
  await inWorld(flags, async ({ forest, redact }) => {
    const place = await findPlace(forest, id);
    if (request) return sayExactly(redact((await forest.request(place.node)).body));
    const node = await forest.node(place.node);
    if (raw) return sayExactly(redact(node.message.raw));
    if (json) return sayJson(redact(nodeView(node)));
    const { marks } = node;
    say(`node    ${node.id}`);
    say(`parent  ${node.depth === 1 ? 'the root' : node.parent}, depth ${node.depth}, ${node.childCount} below it`);
    say(`dialect ${harmless(node.dialect)}`);
    if (marks.tags.length > 0) say(`tags    ${oneLine(redact(marks.tags.join(', ')), 200)}`);
    if (marks.rating !== undefined) say(`rating  ${marks.rating}`);
    if (marks.note !== undefined) say(`note    ${oneLine(redact(marks.note), 200)}`);
    for (const take of node.takes) say(`take    ${takeLine(take)}`);
    say();
    for (const line of nodeLines(node, redact)) say(line);
  });
}

function takeLine({ at, author, via, provider, model, usage, cost, durationMs, request, from }: TakeRecord): string {
  const facts = [
    when(at),
    `${author}, ${via}`,
    ...(from === undefined ? [] : [`from ${short(from)}`]),
    ...(model === undefined ? [] : [provider === undefined ? model : `${provider}/${model}`]),
    ...(usage ? [`${usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h} in`] : []),
    ...(usage ? [`${usage.output} out`] : []),
    ...(cost === undefined ? [] : [`$${cost.toFixed(6)}`]),
    ...(durationMs === undefined ? [] : [`${Math.round(durationMs)} ms`]),
    ...(request ? ['--request has what was sent'] : []),
  ];
  return colors.dim(harmless(facts.join(' · ')));
}
