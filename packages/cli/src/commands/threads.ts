import { resolve } from 'node:path';
import type { Role } from '@skein/core';
import {
  type Forest,
  type Page,
  type PageRequest,
  type RouteUsage,
  readRouteUsage,
  type SearchResult,
  type Thread,
  type ThreadGroup,
  type UsageScope,
  type UsageTotal,
} from '@skein/forest';
import { type CommandContext, withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import {
  colors,
  counted,
  formatTime,
  note,
  oneLine,
  say,
  sayJson,
  shortId,
  toPrintable,
  UsageError,
} from '../output/output.ts';
import { sumInput } from '../output/usage-text.ts';
import type { ForestFlags } from './forest-command.ts';

interface ThreadsOptions extends ForestFlags {
  readonly limit: number;
  readonly after?: string;
  readonly all?: boolean;
  readonly tag?: string;
  readonly deleted?: boolean;
  readonly agent?: string;
  readonly cwd?: string;
  readonly branch?: string;
}

export async function listThreads(row: string | undefined, options: ThreadsOptions): Promise<void> {
  const { json, limit, after, all, tag, deleted, agent, cwd, branch, ...flags } = options;
  const isFlat = all || deleted === true || [tag, agent, cwd, branch].some((one) => one !== undefined);
  if (row !== undefined && isFlat)
    throw new UsageError('A row is unfolded whole: leave --all, --tag, --agent, --cwd, --branch and --deleted out.');
  const filters = {
    ...(tag !== undefined && { tag }),
    ...(deleted && { deleted }),
    ...(agent !== undefined && { agent }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(branch !== undefined && { branch }),
  };
  await withForest(flags, async ({ forest, redact }) => {
    const request = { limit, ...(after !== undefined && { after }) };
    const page =
      row !== undefined
        ? await unfold(forest, row, request)
        : isFlat
          ? await forest.threads.list({ ...request, ...filters })
          : await forest.threads.groups(request);
    if (json) return sayJson(redact(page));
    for (const item of page.items) say('threads' in item ? rowLine(item, redact) : threadLine(item, redact));
    if (page.items.length === 0) note('There is no conversation here yet. "skein ask" and "skein import" make some.');
    if (page.next !== undefined) note(`There are more: --limit ${limit * 2}`);
  });
}

async function unfold(forest: Forest, row: string, request: PageRequest): Promise<Page<Thread>> {
  const { thread } = await locate(forest, row);
  if (!thread)
    throw new UsageError(`"${row}" is a node. A row is named by a thread of it: "skein threads" lists them.`);
  return thread.group === undefined ? { items: [thread] } : forest.threads.inGroup(thread.group, request);
}

function rowLine(row: ThreadGroup, redact: CommandContext['redact']): string {
  if (row.kind === 'thread') return threadLine(row.thread, redact);
  const line = lineOf(row.thread, row.threads[0]!.updatedAt, redact);
  return `${line}${colors.dim(` · ${foldedText(row)}`)}`;
}

/** The number and kind of the threads in a row. */
function foldedText({ kind, count, isMore, threads }: ThreadGroup): string {
  const number = `${count}${isMore ? ' and more' : ''}`;
  if (kind === 'opening') return `${number} that begin like this`;
  if (kind === 'side') return `${number} side calls`;
  const parts = (part: Thread['part']) => threads.filter((thread) => thread.part === part).length;
  const [agents, calls] = [parts('subagent'), parts('side')];
  const some = [
    ...(agents > 0 ? [counted(agents, 'subagent')] : []),
    ...(calls > 0 ? [counted(calls, 'side call')] : []),
  ];
  // A row contains only its newest threads, so for a long session the numbers would be wrong.
  const what = count === threads.length && some.length > 0 ? `: ${some.join(', ')}` : '';
  return `a session of ${number} threads${what}`;
}

function threadLine(thread: Thread, redact: CommandContext['redact']): string {
  const part = thread.part === 'side' ? ' · side call' : thread.part === 'subagent' ? ' · subagent' : '';
  return `${lineOf(thread, thread.updatedAt, redact)}${colors.dim(part)}`;
}

function lineOf({ id, title, head, tags }: Thread, at: number, redact: CommandContext['redact']): string {
  const marks = tags.map((one) => ` #${oneLine(redact(one), 40)}`).join('');
  const name = oneLine(redact(title), 70) || colors.dim('without a title');
  return `${colors.yellow(id)}  ${formatTime(at)}  ${shortId(head)}  ${name}${colors.dim(marks)}`;
}

interface BookmarkOptions extends ForestFlags {
  readonly limit: number;
  readonly remove?: string;
}

export async function bookmark(
  node: string | undefined,
  title: string | undefined,
  options: BookmarkOptions,
): Promise<void> {
  const { json, remove, limit, ...flags } = options;
  if (remove !== undefined && node !== undefined)
    throw new UsageError('--remove takes a bookmark, so no node is needed beside it.');
  await withForest(flags, async ({ forest, redact }) => {
    if (remove !== undefined) {
      await forest.bookmarks.remove(remove);
      if (json) sayJson({ removed: remove });
      else say(`Bookmark ${remove} was taken away.`);
      return;
    }
    if (node !== undefined) {
      const added = await forest.bookmarks.add((await locate(forest, node)).node, title);
      if (json) sayJson(redact(added));
      else say(`Bookmark ${added.id} is at ${shortId(added.node)}.`);
      return;
    }
    const page = await forest.bookmarks.list({ limit });
    if (json) return sayJson(redact(page));
    for (const one of page.items)
      say(
        `${one.id}  ${colors.yellow(shortId(one.node))}  ${formatTime(one.createdAt)}  ${oneLine(redact(one.title))}`,
      );
    if (page.items.length === 0) note('There is no bookmark yet.');
    if (page.next !== undefined) note(`There are more: --limit ${limit * 2}`);
  });
}

interface SearchOptions extends ForestFlags {
  readonly limit: number;
  readonly role?: Role;
  readonly below?: string;
  readonly model?: string;
  readonly tag?: string;
  readonly since?: number;
  readonly until?: number;
  readonly tool?: string;
  readonly file?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly branch?: string;
}

export async function search(words: readonly string[], options: SearchOptions): Promise<void> {
  const { json, store, project, role, below, cwd, ...filters } = options;
  if (words.length === 0 && (filters.tool ?? filters.file) === undefined)
    throw new UsageError('Name the words to look for, or a tool (--tool) or a file (--file).');
  await withForest({ store, project }, async ({ forest, redact }) => {
    const page = await forest.search(words.join(' '), {
      ...filters,
      ...(role && { roles: [role] }),
      ...(cwd !== undefined && { cwd: resolve(cwd) }),
      ...(below !== undefined && { below: (await locate(forest, below)).node }),
    });
    if (json) return sayJson({ ...page, items: redact(page.items) });
    for (const found of page.items) {
      const shown = redact(found.snippet);
      const text = shown === found.snippet ? marked(found) : inLine(shown);
      say(`${colors.yellow(shortId(found.node))} ${colors.bold(found.role)} ${text}`);
    }
    if (page.items.length === 0) note('Nothing was found.');
    if (page.next !== undefined) note(`There are more: --limit ${filters.limit * 2}`);
  });
}

function marked({ snippet, marks }: SearchResult): string {
  const text = inLine(snippet);
  let at = 0;
  let line = '';
  for (const [start, end] of marks) {
    line += text.slice(at, start) + colors.green(text.slice(start, end));
    at = end;
  }
  return line + text.slice(at);
}

/** Keeps the length, so that the positions of the marks stay right. */
const inLine = (text: string) => toPrintable(text.replace(/[\n\t]/g, ' '));

interface UsageOptions extends ForestFlags {
  readonly below?: boolean;
  readonly since?: number;
  readonly until?: number;
}

export async function showUsage(
  id: string | undefined,
  { json, below, since, until, ...flags }: UsageOptions,
): Promise<void> {
  if (id !== undefined && (since ?? until) !== undefined)
    throw new UsageError('--since and --until are about everything: leave the id out.');
  if (id === undefined && below) throw new UsageError('--below needs a node.');
  await withForest(flags, async ({ forest }) => {
    const of =
      id === undefined
        ? { since: since ?? 0, ...(until !== undefined && { until }) }
        : await selected(forest, id, below === true);
    const total = await forest.usage(of);
    const routes = 'since' in of ? await readRouteUsage(forest, of) : [];
    if (json) sayJson({ of, ...total, ...('since' in of && { routes }) });
    else for (const line of [...usageLines(total), ...routes.map(routeLine)]) say(line);
  });
}

/** What went one way through the gateway, and how much of it came from the provider's cache. */
function routeLine({ route, provider, model, replies, usage }: RouteUsage): string {
  const { input, cached, rate } = sumInput(usage);
  return toPrintable(
    `route    ${route} → ${provider}/${model}: ${counted(replies, 'reply', 'replies')}, ${input} in, ${cached} from the cache (${rate} %), ${usage.output} out`,
  );
}

async function selected(forest: Forest, id: string, below: boolean): Promise<UsageScope> {
  const { node, thread } = await locate(forest, id);
  if (below) return { below: node };
  return thread ? { thread: thread.id } : { path: node };
}

/** The sums as lines for a person. */
function usageLines({ usage, cost, withoutPrice, replies }: UsageTotal): string[] {
  const { input, cached, rate, written } = sumInput(usage);
  return [
    `replies  ${replies}`,
    `input    ${counted(input, 'token')}, of them ${cached} from the cache (${rate} %) and ${written} written to it`,
    `output   ${counted(usage.output, 'token')}, of them ${counted(usage.reasoning, 'thought')}`,
    `cost     ${costText(cost, withoutPrice, replies)}`,
  ];
}

function costText(cost: number, withoutPrice: number, replies: number): string {
  if (withoutPrice > 0 && withoutPrice === replies) return 'not known';
  return `$${cost.toFixed(6)}${withoutPrice > 0 ? `, without ${withoutPrice} whose price is not known` : ''}`;
}
