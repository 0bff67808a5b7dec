import pico from 'picocolors';
import { errorText } from './error-text.ts';

/** Colours for a stream: only on a terminal, and never where `NO_COLOR` says no. */
function colorsFor(stream: { readonly isTTY?: boolean }) {
  return pico.createColors(stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb');
}

/** Colours for the result. */
export const colors = colorsFor(process.stdout);
const errorColors = colorsFor(process.stderr);

/** What was typed cannot be done, whatever the forest holds: exit code 2. */
export class UsageError extends Error {
  readonly code = 'usage';
}

/** One line for a person on standard output. */
export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** The whole result for a program. */
export function sayJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A text as it is, byte for byte, unless a person looks at it. */
export function sayExactly(text: string): void {
  process.stdout.write(process.stdout.isTTY ? `${harmless(text)}\n` : text);
}

/** One line that is not part of the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** One line that is not part of the result, and that should be seen. */
export function warn(line: string): void {
  note(errorColors.yellow(line));
}

/** One line about what went wrong. */
export function noteError(error: unknown): void {
  note(
    `${errorColors.red('skein:')} ${harmless(errorText(error))
      .trim()
      .replace(/\s*\n\s*/g, ' ')}`,
  );
}

/** An error in one line; the rest only where it was asked for. */
export function failWith(error: unknown, verbose: boolean): void {
  noteError(error);
  if (verbose && error instanceof Error) note(String(error.stack));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

/**
 * What others wrote must not steer the terminal: control characters become visible ones, one for one, so that places
 * in the text stay what they are.
 */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** A text in one line of at most so many characters. */
export function oneLine(text: string, width = 80): string {
  const line = harmless(
    text
      .slice(0, 4 * width)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

/** An instant as people read it, in UTC. */
export function when(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** The beginning of an id that is enough for people. */
export function short(id: string): string {
  return id.slice(0, 10);
}
