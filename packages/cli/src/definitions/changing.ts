import { type Command, Option } from 'commander';
import { jsonCommand, listCommand, parseCount } from '../commands/forest-command.ts';

function addBookmark(program: Command): void {
  listCommand(program, 'bookmark', 'give a node a name; without a node, list the bookmarks')
    .argument('[node]', 'an id, or the beginning of one')
    .argument('[title]')
    .addOption(new Option('--remove <bookmark>', 'remove a bookmark'))
    .option('--limit <count>', 'how many to list', parseCount, 100)
    .action(async (node, title, options) => (await import('../commands/changes.ts')).bookmark(node, title, options));
}

function addRename(program: Command): void {
  jsonCommand(program, 'rename', 'give a conversation another title')
    .argument('<thread>', 'an id, or the beginning of one')
    .argument('<title...>')
    .action(async (id, title, flags) => (await import('../commands/changes.ts')).renameThread(id, title, flags));
}

/** `tag` and `untag`. */
function addTags(program: Command): void {
  jsonCommand(program, 'tag', 'tag a conversation or a message')
    .argument('<node|thread>', 'an id, or the beginning of one')
    .argument('<tags...>')
    .action(async (id, tags, flags) => (await import('../commands/changes.ts')).setTags(id, tags, true, flags));
  jsonCommand(program, 'untag', 'take tags away')
    .argument('<node|thread>', 'an id, or the beginning of one')
    .argument('<tags...>')
    .action(async (id, tags, flags) => (await import('../commands/changes.ts')).setTags(id, tags, false, flags));
}

/** `rm` and `restore`. */
function addRemove(program: Command): void {
  jsonCommand(program, 'rm', 'delete conversations, or messages with everything below them; restore brings them back')
    .argument('<node|thread...>', 'ids, or the beginnings of some')
    .option('--keep-children', 'of a message, move what is below it up')
    .action(async (ids, options) => (await import('../commands/changes.ts')).removeAll(ids, options));
  jsonCommand(program, 'restore', 'bring deleted conversations or messages back')
    .argument('<node|thread...>', 'ids, or the beginnings of some; "skein threads --deleted" lists them')
    .action(async (ids, flags) => (await import('../commands/changes.ts')).restoreAll(ids, flags));
}

function addMove(program: Command): void {
  jsonCommand(program, 'mv', 'move a message with everything below it under another one, or the end of a conversation')
    .argument('<node|thread>', 'an id, or the beginning of one')
    .argument('<onto>', 'the node to move it below, or root; for a thread, the node where it ends')
    .action(async (id, onto, flags) => (await import('../commands/changes.ts')).move(id, onto, flags));
}

function addForget(program: Command): void {
  jsonCommand(
    program,
    'forget',
    'delete recorded conversations for good, with every byte; no other process may use the forest',
  )
    .argument('<thread...>', 'ids, or the beginnings of some')
    .option('--yes', 'really do it')
    .action(async (ids, options) => (await import('../commands/changes.ts')).forget(ids, options));
}

/** Commands that change what the forest says about its conversations. In the order of the help. */
export const CHANGING: readonly ((program: Command) => void)[] = [
  addBookmark,
  addRename,
  addTags,
  addRemove,
  addMove,
  addForget,
];
