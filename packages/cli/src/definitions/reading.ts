import { type Command, Option } from 'commander';
import { jsonCommand, listCommand, parseCount, parseInstant, parsePercent } from '../commands/forest-command.ts';
import { withPager } from '../output/output.ts';

function addThreads(program: Command): void {
  listCommand(
    program,
    'threads',
    'list the conversations, last changed first; the threads of a session, or with the same beginning, share a row',
  )
    .argument('[row]', 'list the threads of this row: the id of one of them, or its beginning')
    .option('--limit <count>', 'how many', parseCount, 50)
    .option('--after <place>', 'continue a list: the "next" that its --json ends with')
    .option('--all', 'list every thread')
    .option('--since <day>', 'list every thread that changed on this day or later', parseInstant)
    .option('--until <day>', 'list every thread whose last change was before this day', parseInstant)
    .option('--tag <name>', 'list every thread with this tag')
    .option('--model <name>', 'list every thread in which this model answered')
    .option('--text <words>', 'list every thread that contains these words, or has them in its title')
    .option('--deleted', 'list every deleted thread')
    .option('--agent <name>', 'list every thread of this coding agent, such as codex')
    .option('--cwd <folder>', 'list every thread of agents that worked in this folder, or below it')
    .option('--branch <name>', 'list every thread of agents that worked on this branch')
    .action(async (row, options) =>
      withPager(async () => (await import('../commands/threads.ts')).listThreads(row, options)),
    );
}

function addLog(program: Command): void {
  listCommand(program, 'log', "show a conversation up to a node or a thread's head")
    .argument('<node|thread>', 'an id, or the beginning of one')
    .option('--oneline', 'one line for each message')
    .option('--graph', 'one line for each message, with the branches that leave the conversation')
    .action(async (id, options) => withPager(async () => (await import('../commands/log.ts')).showLog(id, options)));
}

function addShow(program: Command): void {
  jsonCommand(program, 'show', 'show one message: who wrote it, with which model, at what cost')
    .argument('<node>', 'an id, or the beginning of one')
    .addOption(new Option('--raw', 'the exact text that is stored, and nothing else').conflicts(['request', 'json']))
    .addOption(new Option('--request', 'the exact bytes that were sent for it').conflicts('json'))
    .action(async (id, options) => withPager(async () => (await import('../commands/log.ts')).showNode(id, options)));
}

function addTree(program: Command): void {
  listCommand(program, 'tree', 'show the tree of a thread, everything below a node, or the whole forest')
    .argument('[node|thread]', 'an id, or the beginning of one')
    .option('--limit <count>', 'how many nodes', parseCount, 200)
    .option('--removed', 'show deleted nodes, too')
    .action(async (id, options) => withPager(async () => (await import('../commands/log.ts')).showTree(id, options)));
}

function addSearch(program: Command): void {
  listCommand(program, 'search', 'find messages that contain all the words; the last may be the beginning of a word')
    .argument('[words...]', 'the words to find; optional with --tool or --file')
    .option('--limit <count>', 'how many', parseCount, 20)
    .addOption(
      new Option('--role <role>', 'only messages of this role').choices(['system', 'user', 'assistant', 'tool']),
    )
    .option('--below <node>', 'only below this node')
    .option('--model <name>', 'only messages that this model wrote')
    .option('--tag <name>', 'only messages with this tag')
    .option('--since <day>', 'only from this day on', parseInstant)
    .option('--until <day>', 'only before this day', parseInstant)
    .option('--tool <name>', 'only calls of this tool')
    .option('--file <path>', 'only calls that read or change this file; the end of its path is enough')
    .option('--agent <name>', 'only sessions of this coding agent, such as codex')
    .option('--cwd <folder>', 'only sessions in this folder, or below it')
    .option('--branch <name>', 'only sessions on this branch')
    .action(async (words, options) =>
      withPager(async () => (await import('../commands/search.ts')).search(words, options)),
    );
}

function addDiff(program: Command): void {
  jsonCommand(program, 'diff', 'show where two conversations part, and what follows in each')
    .argument('<a>', 'a node or a thread')
    .argument('<b>', 'another one')
    .action(async (a, b, flags) =>
      withPager(async () => (await import('../commands/log.ts')).showDifference(a, b, flags)),
    );
}

function addUsage(program: Command): void {
  jsonCommand(program, 'usage', 'show the tokens and cost of a conversation, or of everything')
    .argument('[node|thread]', 'the history up to a node, or a thread')
    .addOption(
      new Option('--below', 'count the node and everything below it, instead of its history').conflicts([
        'since',
        'until',
      ]),
    )
    .option('--since <day>', 'count only from this day on', parseInstant)
    .option('--until <day>', 'count only before this day', parseInstant)
    .action(async (id, options) =>
      withPager(async () => (await import('../commands/usage.ts')).showUsage(id, options)),
    );
}

function addWhy(program: Command): void {
  jsonCommand(program, 'why', 'explain what prompt caches did for recorded requests, and what misses cost')
    .argument('<thread|exchange|all>', 'a thread, a recorded exchange, or everything that was recorded')
    .option('--since <day>', 'only from this day on', parseInstant)
    .option('--until <day>', 'only before this day', parseInstant)
    .option('--tag <name>', 'only requests with this tag')
    .addOption(new Option('--by <group>', 'print sums for each').choices(['cause', 'model', 'app', 'tag', 'day']))
    .option(
      '--simulate <changes...>',
      'what the same requests would cost with no-markers, mark-system, mark-conversation, sort-tools, 5m, 1h, or another provider/model',
    )
    .option(
      '--fail-under <percent>',
      'exit with 1 if less than this share of the tokens that could come from the cache did',
      parsePercent,
    )
    .action(async (what, options) => (await import('../commands/why.ts')).explainCaching(what, options));
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
  addWhy,
];
