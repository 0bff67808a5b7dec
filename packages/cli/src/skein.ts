#!/usr/bin/env node
import { createRequire } from 'node:module';
import { CommanderError } from 'commander';
import { joinPairs } from './definitions/asking.ts';
import { failWith, tolerateClosedOutput } from './output/output.ts';
import { createProgram } from './program.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

tolerateClosedOutput();
const program = createProgram(version);
program.parseAsync([...process.argv.slice(0, 2), ...joinPairs(process.argv.slice(2))]).catch((error: unknown) => {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else failWith(error, program.opts().verbose === true);
});
