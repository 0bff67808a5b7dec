import { isSkeinError } from '@skein/core';
import {
  type ContextChange,
  type Forest,
  type ForestNode,
  ROOT,
  type TakeRecord,
  type Thread,
  type TopologyNode,
} from '@skein/forest';
import { type CommandContext, withForest } from '../context/command-context.ts';
import { locate, readablePath } from '../context/locate.ts';
import { sayList } from '../output/list.ts';
import {
  changeLines,
  changeText,
  drawTree,
  nodeLine,
  nodeLines,
  nodeView,
  type TreeLine,
} from '../output/message-text.ts';
import {
  colors,
  counted,
  formatTime,
  note,
  oneLine,
  say,
  sayExactly,
  sayJson,
  shortId,
  toPrintable,
} from '../output/output.ts';
import { priceText } from '../output/usage-text.ts';
import { outputColumns } from '../output/width.ts';
import type { ForestFlags, ListFlags } from './forest-command.ts';

interface LogOptions extends ForestFlags, ListFlags {
  readonly oneline?: boolean;
  readonly graph?: boolean;
}

export async function showLog(id: string, options: LogOptions): Promise<void> {
  const { json: _json, format: _format, oneline, graph, ...flags } = options;
  if (graph) return showTree(id, { ...flags, ...listChoice(options), limit: 1000 });
  await withForest(flags, async ({ forest, redact }) => {
    const { node, thread } = await locate(forest, id);
    const path = node === ROOT ? [] : await readablePath(forest, node);
    const { own, changes } = thread ? await contextOf(forest, thread.id, path) : { own: undefined, changes: [] };
    if (isForPrograms(options))
      return sayList(redact(path.map(nodeView)), listChoice(options), {
        ...NO_LINES,
        row: ({ id, role, at, text, takes }) => ({
          id,
          role,
          at: new Date(at).toISOString(),
          model: takes.at(-1)?.model,
          text,
        }),
        more: redact({ ...(thread && { thread, changes }), ...(own !== undefined && { system: own }) }),
      });
    const lines = linesFor(path, own, new Map(changes.map((one) => [one.node, one])), oneline === true, redact);
    for (const [index, text] of lines.entries()) say(`${index > 0 && !oneline ? '\n' : ''}${text}`);
  });
}

/**
 * A conversation may share its first messages with one that has another system text. The system text of its own first
 * request is then its system text, not a change.
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

interface ShowOptions extends ForestFlags {
  readonly raw?: boolean;
  readonly request?: boolean;
}

export async function showNode(id: string, { json, raw, request, ...flags }: ShowOptions): Promise<void> {
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
    ...(cost === undefined ? [] : [priceText(cost)]),
    ...(durationMs === undefined ? [] : [`${Math.round(durationMs)} ms`]),
    ...(request ? ['--request has what was sent'] : []),
  ];
  return colors.dim(toPrintable(facts.join(' · ')));
}

export async function showDifference(a: string, b: string, { json, ...flags }: ForestFlags): Promise<void> {
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

/** Whether the output is data, not lines for people. */
function isForPrograms({ json, format }: ListFlags): boolean {
  return json === true || (format !== undefined && format !== 'text');
}

function listChoice({ json, format }: ListFlags): ListFlags {
  return { ...(json && { json }), ...(format && { format }) };
}

interface TreeOptions extends ForestFlags, ListFlags {
  readonly limit: number;
  readonly removed?: boolean;
}

export async function showTree(id: string | undefined, options: TreeOptions): Promise<void> {
  const { json: _json, format: _format, limit, removed, ...flags } = options;
  await withForest(flags, async (context) => {
    const { forest } = context;
    const place = id === undefined ? { node: ROOT } : await locate(forest, id);
    if (place.thread && place.node !== ROOT) return showAround(context, place.thread, options);
    const below = place.node;
    const page = await forest.topology({ below, limit, ...(removed && { withRemoved: true }) });
    const more = { below, ...(page.next !== undefined && { next: page.next }) };
    if (isForPrograms(options)) return sayList(page.items, listChoice(options), { ...NO_LINES, more });
    if (below !== ROOT) say(await treeLine(context, { id: below, graph: 'o ' }));
    const roots = new Set(page.items.flatMap(({ id, parent }) => (parent === ROOT ? [id] : [])));
    for (const [index, line] of drawTree(page.items, below).entries()) {
      // The trees of a forest share nothing.
      if (index > 0 && roots.has(line.id)) say();
      say(await treeLine(context, line));
    }
    if (page.items.length === 0) note('There is nothing below it.');
    if (page.next !== undefined) note(`There are more: --limit ${limit * 2}, or name a node.`);
  });
}

/** For lists that people see as a drawing. */
const NO_LINES = { line: () => '', empty: '' };

/** One line of the tree, as wide as the terminal. A damaged node keeps its place. */
async function treeLine({ forest, redact }: CommandContext, { id, graph }: TreeLine, remark = ''): Promise<string> {
  try {
    const node = await forest.node(id);
    const { model } = node.takes.findLast((take) => take.model !== undefined) ?? {};
    const end = `${model === undefined ? '' : `  ${oneLine(model, 30)}`}${remark}`;
    const room = Math.min(100, outputColumns()) - graph.length - shortId(id).length - node.role.length - end.length - 3;
    return `${colorGraph(graph)}${nodeLine(node, redact, Math.max(20, room))}${colors.dim(end)}`;
  } catch (error) {
    if (!isSkeinError(error, 'damaged', 'unknown_body')) throw error;
    return `${graph}${shortId(id)} (damaged)`;
  }
}

const colorGraph = (graph: string) => graph.replace('*', colors.bold(colors.green('*')));

/** Shows the path of a thread, marked, with the branches that leave it. */
async function showAround(context: CommandContext, thread: Thread, options: TreeOptions): Promise<void> {
  const { limit, removed } = options;
  const { forest, redact } = context;
  const path = await readablePath(forest, thread.head);
  const top = path[0]!.parent;
  const { items, isMore } = await around(forest, path, { limit, withRemoved: removed === true });
  const changes = await forest.contextChanges(thread.id);
  if (isForPrograms(options)) {
    const more = { thread, path: path.map(({ id }) => id), changes, below: top, isMore };
    return sayList(redact(items), listChoice(options), { ...NO_LINES, more: redact(more) });
  }
  const onPath = new Set(path.map(({ id }) => id));
  const changed = new Map(changes.map((change) => [change.node, changeText(change)]));
  for (const line of drawTree(byAge(items), top, onPath)) {
    const change = changed.has(line.id) ? ` (${changed.get(line.id)})` : '';
    say(await treeLine(context, line, change));
  }
  if (isMore) note(`There are more: --limit ${limit * 2}, or name a node.`);
}

/** The whole path, and the branches beside it, from its end upwards, until the limit is reached. */
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

/** Siblings are shown oldest first, as everywhere. */
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
