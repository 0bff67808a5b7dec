import { type Bookmark, type Forest, forgetRecordings, type Thread } from '@skein/forest';
import { withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { sayList } from '../output/list.ts';
import {
  CommandError,
  colors,
  counted,
  formatTime,
  note,
  oneLine,
  say,
  sayJson,
  shortId,
  UsageError,
  withProgress,
} from '../output/output.ts';
import type { ForestFlags, ListFlags } from './forest-command.ts';

interface BookmarkOptions extends ForestFlags, ListFlags {
  readonly limit: number;
  readonly remove?: string;
}

export async function bookmark(node: string | undefined, title: string | undefined, options: BookmarkOptions) {
  const { json, format, remove, limit, ...flags } = options;
  if (remove !== undefined && node !== undefined)
    throw new UsageError('--remove takes a bookmark, so no node is needed beside it.');
  await withForest(flags, async ({ forest, redact }) => {
    if (remove !== undefined) {
      const { id } = await findBookmark(forest, remove);
      await forest.bookmarks.remove(id);
      return tell({ removed: id }, `Bookmark ${id} was taken away.`, json);
    }
    if (node !== undefined) {
      const added = await forest.bookmarks.add((await locate(forest, node)).node, title);
      return tell(redact(added), `Bookmark ${added.id} is at ${shortId(added.node)}.`, json);
    }
    const { items, next } = await forest.bookmarks.list({ limit });
    await sayList(
      redact(items),
      { ...(json && { json }), ...(format && { format }) },
      {
        line: (one) =>
          `${one.id}  ${colors.yellow(shortId(one.node))}  ${formatTime(one.createdAt)}  ${oneLine(one.title)}`,
        empty: 'There is no bookmark yet.',
        ...(next !== undefined && { more: { next } }),
      },
    );
    if (next !== undefined && !json && format === undefined) note(`There are more: --limit ${limit * 2}`);
  });
}

/** A bookmark by its id, or by the beginning of its id. */
async function findBookmark(forest: Forest, start: string): Promise<Bookmark> {
  const found: Bookmark[] = [];
  for (let after: string | undefined; ; ) {
    const page = await forest.bookmarks.list({ limit: 500, ...(after !== undefined && { after }) });
    found.push(...page.items.filter(({ id }) => id.startsWith(start)));
    if (page.next === undefined) break;
    after = page.next;
  }
  const [one, another] = found;
  if (one && !another) return one;
  throw new CommandError(
    one ? 'ambiguous_id' : 'unknown_bookmark',
    one
      ? `"${start}" is the beginning of several bookmarks: give more of it.`
      : `There is no bookmark ${start} in this forest. "skein bookmark" lists them.`,
  );
}

function tell(value: unknown, line: string, json: boolean | undefined): void {
  if (json) sayJson(value);
  else say(line);
}

/** A thread by its id or the beginning of it; a node is refused, and the error says so. */
async function findThread(forest: Forest, id: string): Promise<Thread> {
  const { thread } = await locate(forest, id);
  if (thread) return thread;
  throw new UsageError(`"${id}" is a node, and this needs a thread: "skein threads" lists them.`);
}

const named = ({ id, title }: Thread) => `Thread ${id}${title === '' ? '' : ` "${oneLine(title, 60)}"`}`;

export async function renameThread(
  id: string,
  words: readonly string[],
  { json, ...flags }: ForestFlags,
): Promise<void> {
  const title = words.join(' ').trim();
  if (title === '') throw new UsageError('The title is empty.');
  await withForest(flags, async ({ forest, redact }) => {
    const thread = await forest.threads.rename((await findThread(forest, id)).id, title);
    tell(redact(thread), redact(`${named(thread)} has its new title.`), json);
  });
}

/** `tag` and `untag`: sets or removes tags of threads or nodes. */
export async function setTags(
  id: string,
  tags: readonly string[],
  isSet: boolean,
  { json, ...flags }: ForestFlags,
): Promise<void> {
  await withForest(flags, async ({ forest, redact }) => {
    const values = Object.fromEntries(tags.map((tag) => [tag.replace(/^#/, ''), isSet]));
    const { node, thread } = await locate(forest, id);
    const changed = thread ? await forest.threads.tag(thread.id, values) : undefined;
    if (!thread) await forest.tag(node, values);
    const now = changed?.tags ?? (await forest.node(node)).marks.tags;
    const what = changed ? named(changed) : `Node ${shortId(node)}`;
    const list = now.length === 0 ? 'has no tags' : `has ${now.map((tag) => `#${tag}`).join(' ')}`;
    tell(redact({ ...(changed ? { thread: changed.id } : { node }), tags: now }), redact(`${what} ${list}.`), json);
  });
}

interface RemoveOptions extends ForestFlags {
  readonly keepChildren?: boolean;
}

/** `rm`: hides threads, or nodes with everything below them. `restore` brings them back, until `gc`. */
export async function removeAll(
  ids: readonly string[],
  { json, keepChildren, ...flags }: RemoveOptions,
): Promise<void> {
  await withForest(flags, async ({ forest, redact }) => {
    const found = [];
    // All are found before one is removed, so that a wrong id changes nothing.
    for (const id of ids) found.push(await locate(forest, id));
    const removed: object[] = [];
    for (const { node, thread } of found) {
      if (thread) {
        await forest.threads.delete(thread.id);
        removed.push({ thread: thread.id });
        if (!json) say(redact(`${named(thread)} is deleted.`));
      } else {
        await forest.remove(node, keepChildren ? { keepChildren } : {});
        removed.push({ node });
        const rest = keepChildren ? 'what was below it moved up' : 'with everything below it';
        if (!json) say(`Node ${shortId(node)} is removed, ${rest}.`);
      }
    }
    if (json) sayJson({ removed });
    else note('"skein restore" brings it back. "skein gc" deletes it for good.');
  });
}

export async function restoreAll(ids: readonly string[], { json, ...flags }: ForestFlags): Promise<void> {
  await withForest(flags, async ({ forest, redact }) => {
    const restored: object[] = [];
    for (const id of ids) {
      const { node, thread } = await locate(forest, id);
      if (thread) await forest.threads.restore(thread.id);
      else await forest.restore(node);
      restored.push(thread ? { thread: thread.id } : { node });
      if (!json) say(redact(`${thread ? named(thread) : `Node ${shortId(node)}`} is back.`));
    }
    if (json) sayJson({ restored });
  });
}

/** `mv`: moves a node with everything below it under another one, or a thread's head to another node. */
export async function move(id: string, onto: string, { json, ...flags }: ForestFlags): Promise<void> {
  await withForest(flags, async ({ forest, redact }) => {
    const [from, to] = [await locate(forest, id), onto === 'root' ? { node: 'root' } : await locate(forest, onto)];
    if (from.thread) {
      const thread = await forest.threads.moveHead(from.thread.id, to.node);
      return tell(redact(thread), redact(`${named(thread)} now ends at ${shortId(thread.head)}.`), json);
    }
    const { moved } = await forest.graft(from.node, to.node);
    const now = await forest.resolve(from.node);
    tell({ node: now, moved }, `Node ${shortId(from.node)} is now ${shortId(now)}, below ${shortId(to.node)}.`, json);
  });
}

/** `forget`: deletes recorded conversations for good, with every byte of their exchanges. */
export async function forget(
  ids: readonly string[],
  { json, yes, ...flags }: ForestFlags & { readonly yes?: boolean },
): Promise<void> {
  await withForest(flags, async ({ forest, redact }) => {
    const threads: Thread[] = [];
    for (const id of ids) threads.push(await findThread(forest, id));
    const other = threads.find(({ recorded }) => !recorded);
    if (other)
      throw new UsageError(redact(`${named(other)} was not recorded: "skein rm" and then "skein gc" delete it.`));
    if (!yes)
      throw new UsageError(
        redact(`This deletes ${threads.map(named).join(', ')} for good, also for replays: add --yes to do it.`),
      );
    const done = await withProgress('Deleting', () =>
      forgetRecordings(
        forest,
        threads.map(({ id }) => id),
      ),
    );
    const what = `${counted(threads.length, 'conversation')} with ${counted(done.exchanges, 'exchange')}`;
    tell(done, `${what} is gone for good.`, json);
  });
}
