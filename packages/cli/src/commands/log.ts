import { type ContextChange, type Forest, type ForestNode, ROOT, type TakeRecord } from '@skein/forest';
import { type Command, Option } from 'commander';
import { type CommandContext, withForest } from '../context/command-context.ts';
import { locate, readablePath } from '../context/locate.ts';
import { changeLines, changeText, nodeLine, nodeLines, nodeView } from '../output/message-text.ts';
import {
  colors,
  counted,
  formatTime,
  oneLine,
  say,
  sayExactly,
  sayJson,
  shortId,
  toPrintable,
} from '../output/output.ts';
import { type ForestFlags, jsonCommand } from './forest-command.ts';

export function addLog(program: Command): void {
  jsonCommand(program, 'log', "show a conversation up to a node or a thread's head")
    .argument('<node|thread>', 'an id, or the beginning of one')
    .option('--oneline', 'one line for each message')
    .action(showLog);
}

async function showLog(id: string, { json, oneline, ...flags }: ForestFlags & { readonly oneline?: boolean }) {
  await withForest(flags, async ({ forest, redact }) => {
    const { node, thread } = await locate(forest, id);
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
  redact: CommandContext['redact'],
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
  return isShort ? `${what} ${oneLine(text)}` : `${what} ${colors.dim('of this thread alone')}\n${toPrintable(text)}`;
}

interface Options extends ForestFlags {
  readonly raw?: boolean;
  readonly request?: boolean;
}

export function addShow(program: Command): void {
  jsonCommand(program, 'show', 'show one message: who wrote it, with which model, at what cost')
    .argument('<node>', 'an id, or the beginning of one')
    .addOption(new Option('--raw', 'the exact text that is stored, and nothing else').conflicts(['request', 'json']))
    .addOption(new Option('--request', 'the exact bytes that were sent for it').conflicts('json'))
    .action(showNode);
}

async function showNode(id: string, { json, raw, request, ...flags }: Options): Promise<void> {
  await withForest(flags, async ({ forest, redact }) => {
    const place = await locate(forest, id);
    if (request) return sayExactly(redact((await forest.request(place.node)).body));
    const node = await forest.node(place.node);
    if (raw) return sayExactly(redact(node.message.raw));
    if (json) return sayJson(redact(nodeView(node)));
    const { marks } = node;
    say(`node    ${node.id}`);
    say(`parent  ${node.depth === 1 ? 'the root' : node.parent}, depth ${node.depth}, ${node.childCount} below it`);
    say(`dialect ${toPrintable(node.dialect)}`);
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
    formatTime(at),
    `${author}, ${via}`,
    ...(from === undefined ? [] : [`from ${shortId(from)}`]),
    ...(model === undefined ? [] : [provider === undefined ? model : `${provider}/${model}`]),
    ...(usage ? [`${usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h} in`] : []),
    ...(usage ? [`${usage.output} out`] : []),
    ...(cost === undefined ? [] : [`$${cost.toFixed(6)}`]),
    ...(durationMs === undefined ? [] : [`${Math.round(durationMs)} ms`]),
    ...(request ? ['--request has what was sent'] : []),
  ];
  return colors.dim(toPrintable(facts.join(' · ')));
}

export function addDiff(program: Command): void {
  jsonCommand(program, 'diff', 'show where two conversations part, and what follows in each')
    .argument('<a>', 'a node or a thread')
    .argument('<b>', 'another one')
    .action(showDifference);
}

async function showDifference(a: string, b: string, { json, ...flags }: ForestFlags): Promise<void> {
  await withForest(flags, async ({ forest, redact }) => {
    const [left, right] = [await locate(forest, a), await locate(forest, b)];
    const found = await forest.diff(left.node, right.node);
    if (json) return sayJson(redact({ ...found, a: found.a.map(nodeView), b: found.b.map(nodeView) }));
    const shared =
      found.shared === ROOT ? 'They share nothing' : `They share ${counted(found.sharedLength, 'message')}`;
    say(colors.dim(`${shared}${found.shared === ROOT ? '' : `, up to ${shortId(found.shared)}`}.`));
    for (const node of found.a) for (const line of nodeLines(node, redact)) say(colors.red(`- ${line}`));
    for (const node of found.b) for (const line of nodeLines(node, redact)) say(colors.green(`+ ${line}`));
  });
}
