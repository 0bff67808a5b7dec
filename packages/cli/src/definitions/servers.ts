import { type Command, Option } from 'commander';
import { type ForestFlags, forestCommand, parsePort } from '../commands/forest-command.ts';
import type { ReplayFlags } from '../commands/programs.ts';

function addEmulate(program: Command): void {
  program
    .command('emulate')
    .description('start local stand-ins for the APIs of OpenAI, Anthropic, Google, Bedrock and Cohere, for tests')
    .option('--port <number>', 'port to listen on', parsePort, 4142)
    .addOption(
      new Option('--brain <name>', 'what answers: a demo text, or an echo of the question')
        .choices(['demo', 'echo'])
        .default('demo'),
    )
    .addOption(
      new Option('--strict <what>', 'refuse unknown members even where the real API may accept them').choices([
        'unknown',
      ]),
    )
    .action(async (options) => (await import('../commands/servers.ts')).emulate(options));
}

function addRecord(program: Command): void {
  forestCommand(
    program,
    'record',
    'run a program, and record what it says to OpenAI, Anthropic, Google and other providers',
  )
    .argument('<command...>', 'the program and its arguments, after --')
    .option(
      '--to <folder>',
      'write cassettes, one readable file for each exchange, instead of storing them in the forest',
    )
    .action(async (command: readonly string[], { to, ...flags }: ForestFlags & { readonly to?: string }) =>
      to === undefined
        ? (await import('../commands/programs.ts')).recordProgram(command, flags)
        : (await import('../commands/cassettes.ts')).recordCassettes(command, to),
    );
}

function addTest(program: Command): void {
  program
    .command('test')
    .description(
      'run a program, such as npm test, and answer what it asks of models from cassettes; a miss fails the run',
    )
    .argument('<command...>', 'the program and its arguments, after --')
    .option('--cassettes <folder>', 'the folder of the cassettes', 'cassettes')
    .addOption(
      new Option('--mode <mode>', 'record-missing asks the provider for what is missing, re-record for everything')
        .choices(['replay', 'record-missing', 're-record'])
        .default('replay'),
    )
    .option('--junit <file>', "write a report in JUnit's form")
    .option('--yes', 'with re-record: replace the cassettes')
    .action(async (command, options) => (await import('../commands/cassettes.ts')).testProgram(command, options));
}

function addCassettes(program: Command): void {
  program
    .command('cassettes')
    .description('compare two recordings of the same run, and propose rules that ignore what differs')
    .argument('<what>', 'learn')
    .argument('<first>', 'a folder of cassettes')
    .argument('<second>', 'another recording of the same run')
    .option('--accept', 'write the rules to ignore.json of the first folder')
    .action(async (what, first, second, options) =>
      (await import('../commands/cassettes.ts')).learnRules(what, first, second, options),
    );
}

function addReplay(program: Command): void {
  forestCommand(program, 'replay', 'run a program again, and answer it from the recordings, without a network')
    .argument('<command...>', 'the program and its arguments, after --')
    .option('--until <node>', 'the last recorded answer that the program gets; the model of --then gives the next ones')
    .option('--then <provider/model>', 'the model that is really asked after --until')
    .action(async (command: readonly string[], flags: ReplayFlags) =>
      (await import('../commands/programs.ts')).replayProgram(command, flags),
    );
}

function addRoute(program: Command): void {
  forestCommand(program, 'route', 'run a program, such as claude or codex, and let a model of any provider answer it')
    .argument('<provider/model>', 'the model that answers')
    .argument('<command...>', 'the program and its arguments, after --')
    .action(async (model: string, command: readonly string[], flags: ForestFlags) =>
      (await import('../commands/programs.ts')).runBehindGateway(model, command, flags),
    );
}

function addMcp(program: Command): void {
  forestCommand(program, 'mcp', 'serve the conversations to an MCP client, over standard input and output or over HTTP')
    .option('--port <number>', 'serve over HTTP at this port, under /mcp', parsePort)
    .option('--host <address>', 'address to listen on; any other than loopback needs a token', '127.0.0.1')
    .option('--token <variable>', 'the environment variable with the token that HTTP clients need', 'SKEIN_TOKEN')
    .option('--write', 'let clients fork conversations and ask models; without it, they can only read')
    .option('--model <provider/model>', 'the model that answers questions of clients')
    .action(async (options) =>
      (await import('../commands/mcp.ts')).serveMcp({ ...options, version: program.version() ?? '' }),
    );
}

/** Commands that serve, or run a program behind a server. In the order of the help. */
export const SERVERS: readonly ((program: Command) => void)[] = [
  addEmulate,
  addRecord,
  addReplay,
  addTest,
  addCassettes,
  addRoute,
  addMcp,
];
