import { type Command, Option } from 'commander';
import { type ForestFlags, forestCommand, parsePort } from '../commands/forest-command.ts';

function addEmulate(program: Command): void {
  program
    .command('emulate')
    .description('start only the strict stand-ins for the OpenAI, Anthropic and Google APIs')
    .option('--port <number>', 'port to listen on', parsePort, 4142)
    .addOption(new Option('--brain <name>', 'what answers').choices(['demo', 'echo']).default('demo'))
    .addOption(
      new Option('--strict <what>', 'refuse unknown members also where the API is not known to').choices(['unknown']),
    )
    .action(async (options) => (await import('../commands/servers.ts')).emulate(options));
}

function addRecord(program: Command): void {
  forestCommand(program, 'record', 'run a program, and record what it says to OpenAI, Anthropic and Google')
    .argument('<command...>', 'the program and its arguments, after --')
    .action(async (command: readonly string[], flags: ForestFlags) =>
      (await import('../commands/programs.ts')).runBehindProxy('record', command, flags),
    );
}

function addReplay(program: Command): void {
  forestCommand(program, 'replay', 'run a program again, and answer it from the recordings, without a network')
    .argument('<command...>', 'the program and its arguments, after --')
    .action(async (command: readonly string[], flags: ForestFlags) =>
      (await import('../commands/programs.ts')).runBehindProxy('replay', command, flags),
    );
}

function addRoute(program: Command): void {
  forestCommand(program, 'route', 'run a program whose questions a model of any provider answers')
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
export const SERVERS: readonly ((program: Command) => void)[] = [addEmulate, addRecord, addReplay, addRoute, addMcp];
