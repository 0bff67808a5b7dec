import type { Forest, Page, PageRequest, Thread, ThreadGroup } from '@skein/forest';
import { type Command, Option } from 'commander';
import { type CommandContext, withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { colors, counted, formatTime, note, oneLine, say, sayJson, shortId, UsageError } from '../output/output.ts';
import { type ForestFlags, jsonCommand, parseCount } from './forest-command.ts';

interface ThreadsOptions extends ForestFlags {
  readonly limit: number;
  readonly after?: string;
  readonly all?: boolean;
  readonly tag?: string;
  readonly deleted?: boolean;
}

export function addThreads(program: Command): void {
  jsonCommand(
    program,
    'threads',
    'list the conversations, last changed first; a session is one row, and so are threads that begin alike',
  )
    .argument('[row]', 'list the threads of this row: the id of one of them, or its beginning')
    .option('--limit <count>', 'how many', parseCount, 50)
    .option('--after <place>', 'continue after the "next" of an earlier list')
    .option('--all', 'list every thread')
    .option('--tag <name>', 'list every thread with this tag')
    .option('--deleted', 'list every deleted thread')
    .action(listThreads);
}

async function listThreads(row: string | undefined, options: ThreadsOptions): Promise<void> {
  const { json, limit, after, all, tag, deleted, ...flags } = options;
  const isFlat = all || tag !== undefined || deleted === true;
  if (row !== undefined && isFlat)
    throw new UsageError('A row is unfolded whole: leave --all, --tag and --deleted out.');
  await withForest(flags, async ({ forest, redact }) => {
    const request = { limit, ...(after !== undefined && { after }) };
    const page =
      row !== undefined
        ? await unfold(forest, row, request)
        : isFlat
          ? await forest.threads.list({ ...request, ...(tag !== undefined && { tag }), ...(deleted && { deleted }) })
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

/** What is behind the row, as far as it was looked at. */
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
  // A row carries its newest threads only: of a long session the numbers would be wrong.
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

export function addBookmark(program: Command): void {
  jsonCommand(program, 'bookmark', 'give a node a name; without a node, list the bookmarks')
    .argument('[node]', 'an id, or the beginning of one')
    .argument('[title]')
    .addOption(new Option('--remove <bookmark>', 'remove a bookmark'))
    .option('--limit <count>', 'how many to list', parseCount, 100)
    .action(bookmark);
}

async function bookmark(node: string | undefined, title: string | undefined, options: BookmarkOptions): Promise<void> {
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
