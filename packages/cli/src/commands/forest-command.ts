import { type Command, InvalidArgumentError } from 'commander';

/** A command on a forest, with the flags that say which one. */
export function forestCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--store <where>', 'a folder, postgres:VARIABLE, or memory')
    .option('--project <name>', 'the forest in the store');
}

/** The same for a command whose result a program can read. */
export function jsonCommand(program: Command, name: string, description: string): Command {
  return forestCommand(program, name, description).option('--json', 'one JSON document, for programs');
}

/** For flags that count something. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1_000_000)
    throw new InvalidArgumentError('Give a whole number from 1 to 1000000.');
  return count;
}

/** For a port to listen on; 0 is any that is free. */
export function parsePort(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Give a number from 0 to 65535.');
  return Number(text);
}

/** For flags that say when, as milliseconds. */
export function parseInstant(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Give a day such as 2026-01-31, or a time such as 2026-01-31T12:00Z.');
  return at;
}

/** What every command on a forest may be given. */
export interface ForestFlags {
  readonly store?: string;
  readonly project?: string;
  readonly json?: boolean;
}
