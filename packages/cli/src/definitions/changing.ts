import { type Command, Option } from 'commander';
import { jsonCommand, parseCount } from '../commands/forest-command.ts';

function addBookmark(program: Command): void {
  jsonCommand(program, 'bookmark', 'give a node a name; without a node, list the bookmarks')
    .argument('[node]', 'an id, or the beginning of one')
    .argument('[title]')
    .addOption(new Option('--remove <bookmark>', 'remove a bookmark'))
    .option('--limit <count>', 'how many to list', parseCount, 100)
    .action(async (node, title, options) => (await import('../commands/threads.ts')).bookmark(node, title, options));
}

/** Commands that change what the forest says about its conversations. In the order of the help. */
export const CHANGING: readonly ((program: Command) => void)[] = [addBookmark];
