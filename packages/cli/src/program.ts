import { nearest } from '@skein/core';
import { Command, Option } from 'commander';
import type { ChatOptions } from './commands/chat.ts';
import { type ForestFlags, forestCommand, parsePort } from './commands/forest-command.ts';
import { COMMANDS } from './commands/index.ts';
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
      (await import('./commands/servers.ts')).runBehindProxy('record', command, flags),
    );

  forestCommand(program, 'replay', 'run a program again, and answer it from the recordings, without a network')
    .argument('<command...>', 'the program and its arguments, after --')
    .action(async (command: readonly string[], flags: ForestFlags) =>
      (await import('./commands/servers.ts')).runBehindProxy('replay', command, flags),
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
