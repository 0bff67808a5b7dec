#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command } from 'commander';
import { emulate } from './commands/emulate.ts';
import { serve } from './commands/serve.ts';
import { failWith } from './output.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const program = new Command('skein')
  .description('Keeps conversations with models whole: every byte, every branch, every provider.')
  .version(version)
  .option('--verbose', 'show where an error came from')
  .showHelpAfterError('(skein --help lists everything)');

program
  .command('serve', { isDefault: true })
  .description('start the server on the forest: API and recording proxy')
  .option('--port <number>', 'port to listen at')
  .option('--host <address>', 'address to listen at; any but loopback needs a token')
  .option('--store <where>', 'a folder, postgres:VARIABLE, or :memory:')
  .option('--project <name>', 'which forest in the store')
  .option('--model <provider/model>', 'the model for whoever names none')
  .option('--token <variable>', 'the variable that holds the token clients need')
  .action((options) => serve({ ...options, version }));

program
  .command('emulate')
  .description('start only the strict stand-ins for the OpenAI, Anthropic and Google APIs')
  .option('--port <number>', 'port to listen at', '4142')
  .option('--brain <name>', 'who answers: demo or echo', 'demo')
  .action(emulate);

program.parseAsync().catch((error: unknown) => failWith(error, program.opts().verbose === true));
