import { type Command, Option } from 'commander';
import { jsonCommand, parseCount, parseInstant } from '../commands/forest-command.ts';

function addThreads(program: Command): void {
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
    .option('--agent <name>', 'list every thread of this coding agent, such as codex')
    .option('--cwd <folder>', 'list every thread of agents that worked in this folder')
    .action(async (row, options) => (await import('../commands/threads.ts')).listThreads(row, options));
}

function addLog(program: Command): void {
  jsonCommand(program, 'log', "show a conversation up to a node or a thread's head")
    .argument('<node|thread>', 'an id, or the beginning of one')
    .option('--oneline', 'one line for each message')
    .action(async (id, options) => (await import('../commands/log.ts')).showLog(id, options));
}

function addShow(program: Command): void {
  jsonCommand(program, 'show', 'show one message: who wrote it, with which model, at what cost')
    .argument('<node>', 'an id, or the beginning of one')
    .addOption(new Option('--raw', 'the exact text that is stored, and nothing else').conflicts(['request', 'json']))
    .addOption(new Option('--request', 'the exact bytes that were sent for it').conflicts('json'))
    .action(async (id, options) => (await import('../commands/log.ts')).showNode(id, options));
}

function addTree(program: Command): void {
  jsonCommand(program, 'tree', 'show the tree of a thread, everything below a node, or the whole forest')
    .argument('[node|thread]', 'an id, or the beginning of one')
    .option('--limit <count>', 'how many nodes', parseCount, 200)
    .option('--removed', 'show removed nodes, too')
    .action(async (id, options) => (await import('../commands/log.ts')).showTree(id, options));
}

function addSearch(program: Command): void {
  jsonCommand(program, 'search', 'find messages that contain all the words; the last may be the beginning of a word')
    .argument('<words...>')
    .option('--limit <count>', 'how many', parseCount, 20)
    .addOption(
      new Option('--role <role>', 'only messages of this role').choices(['system', 'user', 'assistant', 'tool']),
    )
    .option('--below <node>', 'only below this node')
    .option('--model <name>', 'only messages that this model wrote')
    .option('--tag <name>', 'only nodes with this tag')
    .option('--since <day>', 'only from then on', parseInstant)
    .option('--until <day>', 'only up to then', parseInstant)
    .action(async (words, options) => (await import('../commands/threads.ts')).search(words, options));
}

function addDiff(program: Command): void {
  jsonCommand(program, 'diff', 'show where two conversations part, and what follows in each')
    .argument('<a>', 'a node or a thread')
    .argument('<b>', 'another one')
    .action(async (a, b, flags) => (await import('../commands/log.ts')).showDifference(a, b, flags));
}

function addUsage(program: Command): void {
  jsonCommand(program, 'usage', 'show the tokens and cost of a conversation, or of everything')
    .argument('[node|thread]', 'the history up to a node, or a thread')
    .addOption(new Option('--below', 'the node with everything below it').conflicts(['since', 'until']))
    .option('--since <day>', 'of everything from then on', parseInstant)
    .option('--until <day>', 'of everything up to then', parseInstant)
    .action(async (id, options) => (await import('../commands/threads.ts')).showUsage(id, options));
}

/** Commands that show what the forest has. In the order of the help. */
export const READING: readonly ((program: Command) => void)[] = [
  addThreads,
  addLog,
  addShow,
  addTree,
  addSearch,
  addDiff,
  addUsage,
];
