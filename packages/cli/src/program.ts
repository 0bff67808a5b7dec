import { nearest } from '@skein/core';
import { Command } from 'commander';
import { parsePort } from './commands/forest-command.ts';
import { ASKING } from './definitions/asking.ts';
import { CHANGING } from './definitions/changing.ts';
import { READING } from './definitions/reading.ts';
import { SERVERS } from './definitions/servers.ts';
import { SETUP } from './definitions/setup.ts';
import { STORING } from './definitions/storing.ts';
import { note, toPrintable, UsageError } from './output/output.ts';

/** The `skein` command with all its subcommands. Wrong usage is printed, and then throws a `CommanderError`. */
export function createProgram(version: string): Command {
  const program = new Command('skein')
    .description(
      'Keeps conversations with models whole: every byte, every branch, every provider.\nWithout a command, skein starts the server and opens the page.',
    )
    .version(version)
    .option('--verbose', 'show where an error came from')
    // Names alone: with all arguments, nothing is left of a narrow terminal for the descriptions.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: sayUsage })
    .addHelpText('after', EXAMPLES)
    .exitOverride();
  for (const [title, definitions] of GROUPS) {
    program.commandsGroup(`${title}:`);
    for (const add of definitions) add(program);
  }
  return program;
}

const EXAMPLES = `
Examples:
  skein ask "What is a skein?"                  ask once; without a key, a demo model answers
  cat notes.txt | skein ask "Summarise this"    with text from a pipe
  skein chat                                    talk to a model
  skein threads                                 list the conversations
  skein record -- node my-app.mjs               record what a program asks models
  skein ask --help                              all flags of a command
`;

function addServe(program: Command): void {
  program
    .command('serve', { isDefault: true })
    .description('start the server: the page, the API, the recording proxy and the gateway')
    .option('--port <number>', 'port to listen on', parsePort)
    .option('--host <address>', 'address to listen on; any other than loopback needs a token')
    .option('--store <where>', 'a folder, postgres:VARIABLE, or memory')
    .option('--project <name>', 'which forest in the store ("default" if nothing names one)')
    .option('--model <provider/model>', 'used for requests that name no model')
    .option('--preset <name>', 'the parameters for requests that set none: a preset of the configuration')
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
      await (await import('./commands/servers.ts')).serve({ ...options, version: program.version() ?? '' });
    });
}

/** In the order of the help. The file with the code of a command is loaded when the command is used, not for the help. */
const GROUPS = [
  ['Ask models', ASKING],
  ['Look at conversations', READING],
  ['Change conversations', CHANGING],
  ['Servers and programs', [addServe, ...SERVERS]],
  ['Import, export and look after the store', STORING],
  ['Set up', SETUP],
] as const;

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
  // Whoever knows llm asks without naming a command.
  if (name.includes(' ')) return new UsageError(`To ask a model, write ask before the question: skein ask "…".`);
  const near = nearest(name, names);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new UsageError(`There is no command "${name.slice(0, 60)}".${hint} (skein --help lists everything)`);
}
