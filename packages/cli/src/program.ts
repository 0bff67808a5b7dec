import { nearest } from '@skein/core';
import { Command, Option } from 'commander';
import type { ChatOptions } from './commands/chat.ts';
import {
  type ForestFlags,
  forestCommand,
  jsonCommand,
  parseCount,
  parseInstant,
  parsePort,
} from './commands/forest-command.ts';
import { note, toPrintable, UsageError } from './output/output.ts';

/** The `skein` command with all its subcommands. Wrong usage is printed, and then throws a `CommanderError`. */
export function createProgram(version: string): Command {
  const program = new Command('skein')
    .description('Keeps conversations with models whole: every byte, every branch, every provider.')
    .version(version)
    .option('--verbose', 'show where an error came from')
    .configureOutput({ outputError: sayUsage })
    .exitOverride();

  program
    .command('serve', { isDefault: true })
    .description('start the server of a forest: page, API and recording proxy')
    .option('--port <number>', 'port to listen on', parsePort)
    .option('--host <address>', 'address to listen on; any other than loopback needs a token')
    .option('--store <where>', 'a folder, postgres:VARIABLE, or memory')
    .option('--project <name>', 'the forest in the store')
    .option('--model <provider/model>', 'used for requests that name no model')
    .option('--preset <name>', 'the default preset')
    .option('--token <variable>', 'the environment variable with the token that clients need')
    .option('--hosts <names>', 'host names that the server answers to, separated by commas')
    .option('--proxy-mode <mode>', 'record (default), replay or pass, for requests that name no mode')
    .option('--proxy-on-miss <what>', 'for a replay without a recording: refuse (default), or pass it to the provider')
    .option('--use-server-keys', "use the server's keys for requests without one (clients then spend its money)")
    .option('--no-open', 'do not open the browser')
    // This is the default command, so an unknown command arrives here as an argument.
    .allowExcessArguments()
    .action(async (options, { args }: Command) => {
      if (args[0] !== undefined) throw unknownCommand(args[0], program);
      await (await import('./commands/servers.ts')).serve({ ...options, version });
    });

  program
    .command('emulate')
    .description('start only the strict stand-ins for the OpenAI, Anthropic and Google APIs')
    .option('--port <number>', 'port to listen on', parsePort, 4142)
    .addOption(new Option('--brain <name>', 'what answers').choices(['demo', 'echo']).default('demo'))
    .addOption(
      new Option('--strict <what>', 'refuse unknown members also where the API is not known to').choices(['unknown']),
    )
    .action(async (options) => (await import('./commands/servers.ts')).emulate(options));

  forestCommand(program, 'chat', 'talk to a model or an agent in the terminal; the forest keeps all of it')
    .argument(
      '[agent | provider/model]',
      'an agent or a model; default: "model" of the configuration, or the first one with a key',
    )
    .option('--at <node|thread>', 'continue from a node or a thread')
    .option('--system <text>', 'the system text')
    .option('--model <provider/model>', "used instead of the agent's model")
    .option('--preset <name>', 'a preset of the configuration')
    .option('--think <effort|tokens>', 'how much to think: low, medium or high; for some models, a number of tokens')
    .option('--agents <folder>', 'the folder of the agent files')
    .action(async (who: string | undefined, options: ChatOptions) =>
      (await import('./commands/chat.ts')).chat(who, options),
    );

  forestCommand(program, 'record', 'run a program, and record what it says to OpenAI, Anthropic and Google')
    .argument('<command...>', 'the program and its arguments, after --')
    .action(async (command: readonly string[], flags: ForestFlags) =>
      (await import('./commands/programs.ts')).runBehindProxy('record', command, flags),
    );

  forestCommand(program, 'replay', 'run a program again, and answer it from the recordings, without a network')
    .argument('<command...>', 'the program and its arguments, after --')
    .action(async (command: readonly string[], flags: ForestFlags) =>
      (await import('./commands/programs.ts')).runBehindProxy('replay', command, flags),
    );

  forestCommand(program, 'route', 'run a program whose questions a model of any provider answers')
    .argument('<provider/model>', 'the model that answers')
    .argument('<command...>', 'the program and its arguments, after --')
    .action(async (model: string, command: readonly string[], flags: ForestFlags) =>
      (await import('./commands/programs.ts')).runBehindGateway(model, command, flags),
    );

  for (const add of COMMANDS) add(program);
  return program;
}

/** Prints the message of commander as one line. */
function sayUsage(text: string): void {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ');
  note(`skein: ${toPrintable(line)} (skein --help lists everything)`);
}

function unknownCommand(name: string, program: Command): UsageError {
  const names = program.commands.map((command) => command.name());
  if (names.includes(name)) return new UsageError(`Write flags after the command: skein ${name} --flag.`);
  const near = nearest(name, names);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new UsageError(`There is no command "${name.slice(0, 60)}".${hint} (skein --help lists everything)`);
}

// Names, flags and help of the other commands. The file with the code of a command is loaded when the command is used, so
// that help and version are printed without waiting for it.

function addAsk(program: Command): void {
  jsonCommand(program, 'ask', 'ask a model once; the answer is printed, and the forest keeps both')
    .argument('[question...]', 'without one, standard input is read')
    .option(
      '--model <provider/model>',
      'the model; default: the one that answered last, "model" of the configuration, or the first one with a key',
    )
    .option('--preset <name>', 'a preset of the configuration')
    .option('--schema <file>', 'a JSON Schema for the answer, which is then JSON')
    .option('--system <text>', 'the system text')
    .option('--at <node|thread>', 'continue from a node or a thread')
    .option('--max-tokens <count>', 'the most tokens that the answer may have', parseCount)
    .action(async (question, options) => (await import('./commands/ask.ts')).ask(question, options));
}

function addRun(program: Command): void {
  jsonCommand(program, 'run', 'give an agent a goal: it works and calls its tools until it is done')
    .argument('<agent>', 'the name of the agent or of its file')
    .argument('<goal...>')
    .option('--agents <folder>', 'the folder of the agent files')
    .option('--model <provider/model>', "used instead of the agent's model")
    .option('--preset <name>', 'a preset of the configuration, for an agent that names none')
    .option('--steps <count>', 'the most requests to the model', parseCount)
    .option('--yes', 'approve every tool call that needs an approval')
    .action(async (name, goal, options) => (await import('./commands/ask.ts')).runAgent(name, goal, options));
}

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
    .action(async (row, options) => (await import('./commands/threads.ts')).listThreads(row, options));
}

function addLog(program: Command): void {
  jsonCommand(program, 'log', "show a conversation up to a node or a thread's head")
    .argument('<node|thread>', 'an id, or the beginning of one')
    .option('--oneline', 'one line for each message')
    .action(async (id, options) => (await import('./commands/log.ts')).showLog(id, options));
}

function addShow(program: Command): void {
  jsonCommand(program, 'show', 'show one message: who wrote it, with which model, at what cost')
    .argument('<node>', 'an id, or the beginning of one')
    .addOption(new Option('--raw', 'the exact text that is stored, and nothing else').conflicts(['request', 'json']))
    .addOption(new Option('--request', 'the exact bytes that were sent for it').conflicts('json'))
    .action(async (id, options) => (await import('./commands/log.ts')).showNode(id, options));
}

function addTree(program: Command): void {
  jsonCommand(program, 'tree', 'show the tree of a thread, everything below a node, or the whole forest')
    .argument('[node|thread]', 'an id, or the beginning of one')
    .option('--limit <count>', 'how many nodes', parseCount, 200)
    .option('--removed', 'show removed nodes, too')
    .action(async (id, options) => (await import('./commands/log.ts')).showTree(id, options));
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
    .action(async (words, options) => (await import('./commands/threads.ts')).search(words, options));
}

function addDiff(program: Command): void {
  jsonCommand(program, 'diff', 'show where two conversations part, and what follows in each')
    .argument('<a>', 'a node or a thread')
    .argument('<b>', 'another one')
    .action(async (a, b, flags) => (await import('./commands/log.ts')).showDifference(a, b, flags));
}

function addUsage(program: Command): void {
  jsonCommand(program, 'usage', 'show the tokens and cost of a conversation, or of everything')
    .argument('[node|thread]', 'the history up to a node, or a thread')
    .addOption(new Option('--below', 'the node with everything below it').conflicts(['since', 'until']))
    .option('--since <day>', 'of everything from then on', parseInstant)
    .option('--until <day>', 'of everything up to then', parseInstant)
    .action(async (id, options) => (await import('./commands/threads.ts')).showUsage(id, options));
}

function addBookmark(program: Command): void {
  jsonCommand(program, 'bookmark', 'give a node a name; without a node, list the bookmarks')
    .argument('[node]', 'an id, or the beginning of one')
    .argument('[title]')
    .addOption(new Option('--remove <bookmark>', 'remove a bookmark'))
    .option('--limit <count>', 'how many to list', parseCount, 100)
    .action(async (node, title, options) => (await import('./commands/threads.ts')).bookmark(node, title, options));
}

function addImport(program: Command): void {
  jsonCommand(program, 'import', 'import conversations from a file or a folder, or the sessions of coding agents')
    .argument('[file]', 'a file, or a folder such as ~/.claude/projects')
    .option('--agents [names]', 'the sessions of the coding agents on this machine; default: of all that are known')
    .option('--redact', 'leave out keys and tokens that are found in the logs of agents')
    .option('--format <name>', 'the format, if the file does not tell it; an unknown name lists all of them')
    .option('--dialect <name>', 'the dialect of bare messages, such as openai-chat or legacy')
    .action(async (file, options) => (await import('./commands/store.ts')).importInto(file, options));
}

function addWatch(program: Command): void {
  forestCommand(program, 'watch', 'keep the sessions of the coding agents on this machine, as they grow, until Ctrl+C')
    .option('--agents <names>', 'only of these agents, with commas between them')
    .option('--redact', 'leave out keys and tokens that are found in the logs')
    .option('--service <kind>', 'print a file with which systemd or launchd keeps this running')
    .action(async (options) => (await import('./commands/sessions.ts')).watchAgents(options));
}

function addHandoff(program: Command): void {
  jsonCommand(program, 'handoff', 'write a conversation as a session of a coding agent, and print how to go on with it')
    .argument('<node|thread>', 'an id, or the beginning of one')
    .addOption(
      new Option('--to <agent>', 'the agent that goes on')
        .choices(['claude-code', 'codex', 'opencode', 'pi'])
        .makeOptionMandatory(),
    )
    .option('--cwd <folder>', 'the folder in which it goes on; default: that of the session')
    .option('--model <name>', 'the model that goes on; default: the one that answered last')
    .option('--out <folder>', "a folder in place of the agent's own")
    .action(async (id, options) => (await import('./commands/sessions.ts')).handOff(id, options));
}

function addExport(program: Command): void {
  forestCommand(program, 'export', 'write conversations to standard output or a file')
    .argument('[node|thread]', 'the history up to a node, or a thread; default: everything')
    .addOption(
      new Option('--format <name>', 'segments lose nothing and can be imported again')
        .choices(['segments', 'markdown', 'html', 'messages', 'fine-tuning', 'older'])
        .default('segments'),
    )
    .option('--dialect <name>', "the dialect of messages and fine-tuning; default: that of OpenAI's chat completions")
    .option('--out <path>', 'write to a new file (with --format older, a new folder)')
    .addOption(new Option('--below', 'the node with everything below it').conflicts('only'))
    .option('--only', 'only this message')
    .action(async (id, options) => (await import('./commands/store.ts')).exportFrom(id, options));
}

function addVerify(program: Command): void {
  program
    .command('verify')
    .description('check a folder of the older layout without changing it')
    .argument('<folder>')
    .option('--json', 'one JSON document, for programs')
    .action(async (folder, options) => (await import('./commands/store.ts')).verify(folder, options));
}

/** `fsck`, `gc` and `pack`. */
function addUpkeep(program: Command): void {
  jsonCommand(program, 'fsck', 'check every stored hash, parent and text').action(async (flags) =>
    (await import('./commands/store.ts')).fsck(flags),
  );
  jsonCommand(
    program,
    'gc',
    'delete for good what was removed or is older than the retention; no other process may use the forest',
  ).action(async (flags) => (await import('./commands/store.ts')).compact('gc', flags));
  jsonCommand(
    program,
    'pack',
    'rewrite the segment files without superseded records, to save disk space; no other process may use the forest',
  ).action(async (flags) => (await import('./commands/store.ts')).compact('pack', flags));
}

function addAgents(program: Command): void {
  program
    .command('agents')
    .description('list the agents, with their models and tools')
    .option('--agents <folder>', 'the folder of the agent files')
    .option('--json', 'one JSON document, for programs')
    .action(async (options) => (await import('./commands/configuration.ts')).listAgents(options));
}

function addModels(program: Command): void {
  program
    .command('models')
    .description('list the providers and which of them have keys; with a provider, list its known models')
    .argument('[provider]')
    .option('--json', 'one JSON document, for programs')
    .action(async (provider, options) => (await import('./commands/configuration.ts')).listModels(provider, options));
}

function addDoctor(program: Command): void {
  jsonCommand(program, 'doctor', 'check versions, configuration, store, keys, addresses, port and agents').action(
    async (flags) => (await import('./commands/configuration.ts')).doctor(flags),
  );
}

/** All of them but those that need the server, in the order of the help. */
const COMMANDS: readonly ((program: Command) => void)[] = [
  addAsk,
  addRun,
  addThreads,
  addLog,
  addShow,
  addTree,
  addSearch,
  addDiff,
  addUsage,
  addBookmark,
  addImport,
  addWatch,
  addHandoff,
  addExport,
  addVerify,
  addUpkeep,
  addAgents,
  addModels,
  addDoctor,
];
