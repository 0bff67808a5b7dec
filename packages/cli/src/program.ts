import { nearest } from '@skein/core';
import { Command, Option } from 'commander';
import { addAsk, addRun } from './commands/ask.ts';
import { addChat } from './commands/chat.ts';
import { addDoctor } from './commands/doctor.ts';
import { parsePort } from './commands/forest-command.ts';
import { addExport, addImport } from './commands/import-export.ts';
import { addDiff, addLog, addShow } from './commands/log.ts';
import { addAgents, addModels } from './commands/models.ts';
import { addRecord } from './commands/record.ts';
import { addSearch } from './commands/search.ts';
import { addBookmark, addThreads } from './commands/threads.ts';
import { addTree } from './commands/tree.ts';
import { addUpkeep, addVerify } from './commands/upkeep.ts';
import { addUsage } from './commands/usage.ts';
import { note, toPrintable, UsageError } from './output/output.ts';

const COMMANDS = [
  addChat,
  addAsk,
  addRun,
  addRecord,
  addThreads,
  addLog,
  addShow,
  addTree,
  addSearch,
  addDiff,
  addUsage,
  addBookmark,
  addImport,
  addExport,
  addVerify,
  addUpkeep,
  addAgents,
  addModels,
  addDoctor,
];

/** Everything that can be typed behind `skein`. Bad usage throws a `CommanderError`, after it was said. */
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
    // The server and the emulator are large, and the other commands do without them.
    // It is the default, so whatever is no command ends up here.
    .allowExcessArguments()
    .action(async (options, { args }: Command) => {
      if (args[0] !== undefined) throw unknownCommand(args[0], program);
      await (await import('./commands/serve.ts')).serve({ ...options, version });
    });

  program
    .command('emulate')
    .description('start only the strict stand-ins for the OpenAI, Anthropic and Google APIs')
    .option('--port <number>', 'port to listen on', parsePort, 4142)
    .addOption(new Option('--brain <name>', 'what answers').choices(['demo', 'echo']).default('demo'))
    .addOption(
      new Option('--strict <what>', 'refuse unknown members also where the API is not known to').choices(['unknown']),
    )
    .action(async (options) => (await import('./commands/emulate.ts')).emulate(options));

  for (const add of COMMANDS) add(program);
  return program;
}

/** What commander says, in one line. */
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
