import { type Command, Option } from 'commander';
import { colors, note, oneLine, say, sayJson, short, UsageError, when } from '../output/output.ts';
import { findPlace } from '../world/find-place.ts';
import { inWorld } from '../world/open-world.ts';
import { countOf, type ForestFlags, jsonCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly limit: number;
  readonly remove?: string;
}

export function addBookmark(program: Command): void {
  jsonCommand(program, 'bookmark', 'keep a node by a name; without one, list the bookmarks')
    .argument('[node]', 'an id, or the beginning of one')
    .argument('[title]')
    .addOption(new Option('--remove <bookmark>', 'take a bookmark away'))
    .option('--limit <count>', 'how many to list', countOf, 100)
    .action(bookmark);
}

async function bookmark(node: string | undefined, title: string | undefined, options: Options): Promise<void> {
  const { json, remove, limit, ...flags } = options;
  if (remove !== undefined && node !== undefined)
    throw new UsageError('--remove takes a bookmark, so no node is needed beside it.');
  await inWorld(flags, async ({ forest, redact }) => {
    if (remove !== undefined) {
      await forest.bookmarks.remove(remove);
      if (json) sayJson({ removed: remove });
      else say(`Bookmark ${remove} was taken away.`);
      return;
    }
    if (node !== undefined) {
      const added = await forest.bookmarks.add((await findPlace(forest, node)).node, title);
      if (json) sayJson(redact(added));
      else say(`Bookmark ${added.id} is at ${short(added.node)}.`);
      return;
    }
    const page = await forest.bookmarks.list({ limit });
    if (json) return sayJson(redact(page));
    for (const one of page.items)
      say(`${one.id}  ${colors.yellow(short(one.node))}  ${when(one.createdAt)}  ${oneLine(redact(one.title))}`);
    if (page.items.length === 0) note('There is no bookmark yet.');
    if (page.next !== undefined) note(`There are more: --limit ${limit * 2}`);
  });
}
