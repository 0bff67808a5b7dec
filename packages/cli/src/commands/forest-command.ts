import { type Command, InvalidArgumentError, Option } from 'commander';
import { LIST_FORMATS, type ListFormat } from '../output/list.ts';

/** Adds a command on a forest, with the flags that select the forest. */
export function forestCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--store <where>', 'a folder, postgres:VARIABLE, or memory')
    .option('--project <name>', 'which forest in the store ("default" if nothing names one)');
}

/** Adds a command on a forest that can print its result as JSON. */
export function jsonCommand(program: Command, name: string, description: string): Command {
  return forestCommand(program, name, description).option('--json', 'one JSON document, for programs');
}

/** Adds a command on a forest that prints a list. */
export function listCommand(program: Command, name: string, description: string): Command {
  return withListFlags(forestCommand(program, name, description));
}

/** Adds the flags of a command that prints a list. */
export function withListFlags(command: Command): Command {
  return command
    .option('--json', 'one JSON document, for programs')
    .addOption(new Option('--format <name>', 'how the list is printed').choices(LIST_FORMATS));
}

/** Parses a flag that is a count. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 1_000_000)
    throw new InvalidArgumentError('Give a whole number from 1 to 1000000.');
  return count;
}

/** Parses a port to listen on; 0 takes any free port. */
export function parsePort(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Give a number from 0 to 65535.');
  return Number(text);
}

/** Parses a flag that is a share of a hundred. */
export function parsePercent(text: string): number {
  const percent = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || percent > 100) throw new InvalidArgumentError('Give a number from 0 to 100.');
  return percent;
}

/** Parses a flag that is a day or a time, to milliseconds. */
export function parseInstant(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Give a day such as 2026-01-31, or a time such as 2026-01-31T12:00Z.');
  return at;
}

/** The flags of a command that prints a list. */
export interface ListFlags {
  readonly json?: boolean;
  readonly format?: ListFormat;
}

/** The flags of every command on a forest. */
export interface ForestFlags {
  readonly store?: string;
  readonly project?: string;
  readonly json?: boolean;
}
