#!/usr/bin/env node
import { createRequire } from 'node:module';
import { CommanderError } from 'commander';
import { joinPairs } from './definitions/asking.ts';
import { failWith, tolerateClosedOutput } from './output/output.ts';
import { createProgram } from './program.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

tolerateClosedOutput();
const program = createProgram(version);
/** A shell asks what may come next; nobody types this, so it is not in the help. */
const isShell = process.argv[2] === '__complete';
const answering = isShell
  ? import('./commands/completion.ts').then(({ answerShell }) => answerShell(program, process.argv.slice(3)))
  : program.parseAsync([...process.argv.slice(0, 2), ...joinPairs(process.argv.slice(2))]);
answering.catch((error: unknown) => {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else failWith(error, program.opts().verbose === true);
});
