import { type ContextChange, type Forest, type ForestNode, ROOT } from '@skein/forest';
import type { Command } from 'commander';
import { changeLines, changeText } from '../output/change-text.ts';
import { nodeLine, nodeLines } from '../output/message-text.ts';
import { nodeView } from '../output/node-view.ts';
import { colors, harmless, oneLine, say, sayJson } from '../output/output.ts';
import { findPlace, readablePath } from '../world/find-place.ts';
import { inWorld, type World } from '../world/open-world.ts';
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
    const path = node === ROOT ? [] : await readablePath(forest, node);
    const { own, changes } = thread ? await contextOf(forest, thread.id, path) : { own: undefined, changes: [] };
    if (json)
      return sayJson(
        redact({
          ...(thread && { thread, changes }),
          ...(own !== undefined && { system: own }),
          items: path.map(nodeView),
        }),
      );
    const lines = linesFor(path, own, new Map(changes.map((one) => [one.node, one])), oneline === true, redact);
    for (const [index, text] of lines.entries()) say(`${index > 0 && !oneline ? '\n' : ''}${text}`);
  });
}

/**
 * A conversation may share its messages with one that began under another system text: what its own first request had is
 * its system text, and no change of it.
 */
async function contextOf(
  forest: Forest,
  thread: string,
  path: readonly ForestNode[],
): Promise<{ readonly own: string | undefined; readonly changes: readonly ContextChange[] }> {
  const changes = await forest.contextChanges(thread);
  const firstReply = path.find(({ role }) => role === 'assistant')?.id;
  const own = changes.find(({ node }) => node === firstReply)?.system?.after;
  if (own === undefined) return { own, changes };
  const rest = changes.map(
    ({ system, ...other }): ContextChange =>
      system === undefined || other.node === firstReply ? other : { ...other, system },
  );
  return { own, changes: rest.filter(({ system, tools, compacted }) => system ?? tools ?? compacted) };
}

function linesFor(
  path: readonly ForestNode[],
  own: string | undefined,
  changes: ReadonlyMap<string, ContextChange>,
  isShort: boolean,
  redact: World['redact'],
): string[] {
  const lead = path.findIndex(({ role }) => role !== 'system');
  const shown = own === undefined ? path : path.slice(Math.max(0, lead));
  const first = own === undefined ? [] : [ownSystem(redact(own), isShort)];
  const rest = shown.map((node) => {
    const change = changes.get(node.id);
    if (isShort) return `${nodeLine(node, redact)}${change ? colors.yellow(` (${changeText(change)})`) : ''}`;
    return [...(change ? [...changeLines(change, redact), ''] : []), ...nodeLines(node, redact)].join('\n');
  });
  return [...first, ...rest];
}

function ownSystem(text: string, isShort: boolean): string {
  const what = `${' '.repeat(10)} ${colors.bold('system')}`;
  return isShort ? `${what} ${oneLine(text)}` : `${what} ${colors.dim('of this thread alone')}\n${harmless(text)}`;
}
