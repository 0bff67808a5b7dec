import { resolve } from 'node:path';
import type { Forest, Page, PageRequest, Thread, ThreadGroup } from '@skein/forest';
import { withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { sayList } from '../output/list.ts';
import { colors, counted, formatTime, note, oneLine, UsageError } from '../output/output.ts';
import { cutToWidth, outputColumns, textWidth } from '../output/width.ts';
import type { ForestFlags, ListFlags } from './forest-command.ts';

interface ThreadsOptions extends ForestFlags, ListFlags {
  readonly limit: number;
  readonly after?: string;
  readonly all?: boolean;
  readonly tag?: string;
  readonly deleted?: boolean;
  readonly agent?: string;
  readonly cwd?: string;
  readonly branch?: string;
  readonly since?: number;
  readonly until?: number;
  readonly model?: string;
  readonly text?: string;
}

export async function listThreads(row: string | undefined, options: ThreadsOptions): Promise<void> {
  const { json, format, limit, after, all, tag, deleted, agent, cwd, branch, since, until, model, text, ...flags } =
    options;
  const filters = [tag, agent, cwd, branch, since, until, model, text];
  const isFlat = all || deleted === true || filters.some((one) => one !== undefined);
  if (row !== undefined && isFlat) throw new UsageError('A row is unfolded whole: leave --all and the filters out.');
  await withForest(flags, async ({ forest, redact }) => {
    const request = { limit, ...(after !== undefined && { after }) };
    const page =
      row !== undefined
        ? await unfold(forest, row, request)
        : isFlat
          ? await forest.threads.list({
              ...request,
              ...(tag !== undefined && { tag }),
              ...(deleted && { deleted }),
              ...(agent !== undefined && { agent }),
              ...(cwd !== undefined && { cwd: resolve(cwd) }),
              ...(branch !== undefined && { branch }),
              where: await conditionFor(forest, { since, until, model, text }),
            })
          : await forest.threads.groups(request);
    await sayList(
      redact(page.items as readonly (Thread | ThreadGroup)[]),
      { ...(json && { json }), ...(format && { format }) },
      {
        line: (item) => ('threads' in item ? rowLine(item) : threadLine(item)),
        empty: isFlat
          ? 'No conversation is like this.'
          : 'There is no conversation here yet. "skein ask" and "skein import" make some.',
        row: (item) => {
          const { id, title, head, tags, createdAt, updatedAt } = 'threads' in item ? item.thread : item;
          const times = { createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
          return { id, title, ...times, head, tags: tags.join(' '), count: 'threads' in item ? item.count : 1 };
        },
        ...(page.next !== undefined && { more: { next: page.next } }),
      },
    );
    if (page.next !== undefined && !json && format === undefined) note(`There are more: --limit ${limit * 2}`);
  });
}

const isoTime = (at: number) => new Date(at).toISOString();

interface Conditions {
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly model: string | undefined;
  readonly text: string | undefined;
}

/** The conditions that the forest does not know: the time of the last change, a model that answered, words. */
async function conditionFor(forest: Forest, { since = -Infinity, until = Infinity, model, text }: Conditions) {
  const hits = text === undefined ? undefined : await nodesWith(forest, text);
  const wanted = text?.toLowerCase();
  return async ({ head, title, updatedAt }: Thread): Promise<boolean> => {
    if (updatedAt < since || updatedAt >= until) return false;
    if (model === undefined && !hits) return true;
    const ids = (await forest.store.path(head)).map(({ id }) => id);
    if (hits && !title.toLowerCase().includes(wanted!) && !ids.some((id) => hits.has(id))) return false;
    if (model === undefined) return true;
    const takes = await forest.store.takes(ids);
    return takes.some((take) => take.model === model || `${take.provider}/${take.model}` === model);
  };
}

/** The nodes that contain the words. */
async function nodesWith(forest: Forest, text: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await forest.search(text, { limit: 500, ...(after !== undefined && { after }) });
    for (const { node } of page.items) found.add(node);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

async function unfold(forest: Forest, row: string, request: PageRequest): Promise<Page<Thread>> {
  const { thread } = await locate(forest, row);
  if (!thread)
    throw new UsageError(`"${row}" is a node. A row is named by a thread of it: "skein threads" lists them.`);
  return thread.group === undefined ? { items: [thread] } : forest.threads.inGroup(thread.group, request);
}

function rowLine(row: ThreadGroup): string {
  if (row.kind === 'thread') return threadLine(row.thread);
  return lineOf(row.thread, row.threads[0]!.updatedAt, ` · ${foldedText(row)}`);
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

function threadLine(thread: Thread): string {
  return lineOf(
    thread,
    thread.updatedAt,
    thread.part === 'side' ? ' · side call' : thread.part === 'subagent' ? ' · subagent' : '',
  );
}

/** Id, time, title, tags and a remark. The title is cut, so that the line fits. */
function lineOf({ id, title, tags }: Thread, at: number, remark: string): string {
  const start = `${shortThreadId(id)}  ${formatTime(at)}  `;
  const width = outputColumns() - textWidth(start);
  const rest = cutToWidth(`${tags.map((one) => ` #${oneLine(one, 40)}`).join('')}${remark}`, Math.max(12, width - 20));
  const room = Math.max(12, Math.min(80, width - textWidth(rest)));
  const name = oneLine(title, room) || colors.dim('without a title');
  return `${colors.yellow(shortThreadId(id))}  ${formatTime(at)}  ${name}${colors.dim(rest)}`;
}

/** Ids of imported threads are long; their beginning is enough for every command. */
const shortThreadId = (id: string) => id.slice(0, 16);
