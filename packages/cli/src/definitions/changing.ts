import { type Command, Option } from 'commander';
import { jsonCommand, listCommand, parseCount } from '../commands/forest-command.ts';

function addBookmark(program: Command): void {
  listCommand(program, 'bookmark', 'give a node a name; without a node, list the bookmarks')
    .argument('[node]', 'an id, or the beginning of one')
    .argument('[title]', 'the name of the bookmark')
    .addOption(new Option('--remove <bookmark>', 'remove a bookmark'))
    .option('--limit <count>', 'how many to list', parseCount, 100)
    .action(async (node, title, options) => (await import('../commands/changes.ts')).bookmark(node, title, options));
}

function addRename(program: Command): void {
  jsonCommand(program, 'rename', 'give a conversation another title')
    .argument('<thread>', 'an id, or the beginning of one')
    .argument('<title...>', 'the new title')
    .action(async (id, title, flags) => (await import('../commands/changes.ts')).renameThread(id, title, flags));
}

/** `tag` and `untag`. */
function addTags(program: Command): void {
  jsonCommand(program, 'tag', 'tag a conversation or a message')
    .argument('<node|thread>', 'an id, or the beginning of one')
    .argument('<tags...>', 'one or more tags')
    .action(async (id, tags, flags) => (await import('../commands/changes.ts')).setTags(id, tags, true, flags));
  jsonCommand(program, 'untag', 'remove tags from a conversation or a message')
    .argument('<node|thread>', 'an id, or the beginning of one')
    .argument('<tags...>', 'one or more tags')
    .action(async (id, tags, flags) => (await import('../commands/changes.ts')).setTags(id, tags, false, flags));
}

/** `rm` and `restore`. */
function addRemove(program: Command): void {
  jsonCommand(program, 'rm', 'delete conversations, or messages with everything below them; restore brings them back')
    .argument('<node|thread...>', 'ids, or the beginnings of ids')
    .option('--keep-children', 'delete only the message itself, and move up what is below it')
    .action(async (ids, options) => (await import('../commands/changes.ts')).removeAll(ids, options));
  jsonCommand(program, 'restore', 'bring deleted conversations or messages back')
    .argument('<node|thread...>', 'ids, or the beginnings of ids; "skein threads --deleted" lists them')
    .action(async (ids, flags) => (await import('../commands/changes.ts')).restoreAll(ids, flags));
}

function addMove(program: Command): void {
  jsonCommand(
    program,
    'mv',
    'move a message, with everything below it, to another place; or let a conversation end at another message',
  )
    .argument('<node|thread>', 'an id, or the beginning of one')
    .argument(
      '<onto>',
      'for a message: the node to put it below, or root; for a thread: the node at which it ends from now on',
    )
    .action(async (id, onto, flags) => (await import('../commands/changes.ts')).move(id, onto, flags));
}

function addForget(program: Command): void {
  jsonCommand(
    program,
    'forget',
    'delete recorded conversations for good, with every byte; no other process may use the forest',
  )
    .argument('<thread...>', 'ids, or the beginnings of ids')
    .option('--yes', 'confirm the deletion; without it, nothing is deleted')
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
