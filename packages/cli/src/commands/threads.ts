import type { Forest, Page, PageRequest, Thread, ThreadGroup } from '@skein/forest';
import type { Command } from 'commander';
import { colors, counted, note, oneLine, say, sayJson, short, UsageError, when } from '../output/output.ts';
import { findPlace } from '../world/find-place.ts';
import { inWorld, type World } from '../world/open-world.ts';
import { countOf, type ForestFlags, jsonCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly limit: number;
  readonly after?: string;
  readonly all?: boolean;
  readonly tag?: string;
  readonly deleted?: boolean;
}

export function addThreads(program: Command): void {
  jsonCommand(program, 'threads', 'list the conversations, last changed first; sessions and equal openings as one row')
    .argument('[row]', 'unfold this row: a thread of it, or the beginning of its id')
    .option('--limit <count>', 'how many', countOf, 50)
    .option('--after <place>', 'go on behind the "next" of an earlier list')
    .option('--all', 'every thread in a row of its own')
    .option('--tag <name>', 'only those with this tag, unfolded')
    .option('--deleted', 'those that were deleted, unfolded')
    .action(listThreads);
}

async function listThreads(row: string | undefined, options: Options): Promise<void> {
  const { json, limit, after, all, tag, deleted, ...flags } = options;
  const isFlat = all || tag !== undefined || deleted === true;
  if (row !== undefined && isFlat)
    throw new UsageError('A row is unfolded whole: leave --all, --tag and --deleted out.');
  await inWorld(flags, async ({ forest, redact }) => {
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
  const { thread } = await findPlace(forest, row);
  if (!thread)
    throw new UsageError(`"${row}" is a node. A row is named by a thread of it: "skein threads" lists them.`);
  return thread.group === undefined ? { items: [thread] } : forest.threads.inGroup(thread.group, request);
}

function rowLine(row: ThreadGroup, redact: World['redact']): string {
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

function threadLine(thread: Thread, redact: World['redact']): string {
  const part = thread.part === 'side' ? ' · side call' : thread.part === 'subagent' ? ' · subagent' : '';
  return `${lineOf(thread, thread.updatedAt, redact)}${colors.dim(part)}`;
}

function lineOf({ id, title, head, tags }: Thread, at: number, redact: World['redact']): string {
  const marks = tags.map((one) => ` #${oneLine(redact(one), 40)}`).join('');
  const name = oneLine(redact(title), 70) || colors.dim('without a title');
  return `${colors.yellow(id)}  ${when(at)}  ${short(head)}  ${name}${colors.dim(marks)}`;
}
