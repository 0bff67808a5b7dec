import { isSkeinError, SkeinError, type SkeinErrorCode } from '@skein/core';
import pico from 'picocolors';
import { cutToWidth } from './width.ts';

/** Colours for a stream: only if it is a terminal and `NO_COLOR` is not set. */
function colorsFor(stream: { readonly isTTY?: boolean }) {
  return pico.createColors(stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb');
}

/** Colours for standard output. */
export const colors = colorsFor(process.stdout);
const errorColors = colorsFor(process.stderr);

/** The command line itself is wrong, whatever the forest contains: exit code 2. */
export class UsageError extends SkeinError {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

/** The command line is right, but the command cannot do what it says: exit code 1. */
export class CommandError extends SkeinError {
  override readonly name = 'CommandError';
  readonly code: SkeinErrorCode;

  constructor(code: SkeinErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

let isOutputClosed = false;

/**
 * The reader of standard output may stop early, as `head` does. Then only the printing ends: an answer that is being
 * generated is still stored whole.
 */
export function tolerateClosedOutput(): void {
  const leave = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  };
  process.stderr.on('error', leave);
  process.stdout.on('error', (error) => {
    leave(error);
    isOutputClosed = true;
  });
}

/** What is held back for the pager; undefined where output is written at once. */
let held: string[] | undefined;

/** Writes a part of the result, unchanged. */
export function write(text: string): void {
  if (held) held.push(text);
  else if (!isOutputClosed) process.stdout.write(text);
}

/** Runs a command whose output may be long: on a terminal it is shown in the pager, if it does not fit on the screen. */
export async function withPager(command: () => Promise<void>): Promise<void> {
  const { stdout, env } = process;
  const screen = {
    isTerminal: stdout.isTTY === true,
    rows: (stdout.rows || 24) - 1,
    columns: stdout.columns || 80,
    env,
  };
  const { isLong, pagerCommand, showInPager } = await import('./pager.ts');
  const pager = pagerCommand(screen);
  if (pager === undefined) return command();
  held = [];
  try {
    await command();
  } finally {
    const text = held.join('');
    held = undefined;
    if (!isLong(text, screen) || !(await showInPager(pager, text, env))) write(text);
  }
}

/** Writes the parts of a long result as fast as they are read, and stops when the reader has closed the pipe. */
export async function writeAll(parts: AsyncIterable<string>): Promise<void> {
  for await (const part of parts) {
    await new Promise<void>((resolve) => process.stdout.write(shown(part), () => resolve()));
    if (isOutputClosed) return;
  }
}

/** Prints one line for a person on standard output. */
export function say(line = ''): void {
  write(`${line}\n`);
}

/** Prints the whole result as JSON, for a program. */
export function sayJson(value: unknown): void {
  write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Writes a text byte for byte, except on a terminal. */
export function sayExactly(text: string): void {
  write(process.stdout.isTTY ? `${shown(text)}\n` : text);
}

/** On a terminal, control characters are made visible; elsewhere the text stays exact. */
function shown(text: string): string {
  return process.stdout.isTTY ? toPrintable(text) : text;
}

/** Prints one line that is not part of the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints a warning, which is not part of the result. */
export function warn(line: string): void {
  note(errorColors.yellow(line));
}

/** Prints an error as one line. */
export function noteError(error: unknown): void {
  note(
    `${errorColors.red('skein:')} ${toPrintable(errorText(error))
      .trim()
      .replace(/\s*\n\s*/g, ' ')}`,
  );
}

/** Prints an error as one line, with its stack if the user asked for it, and sets the exit code. */
export function failWith(error: unknown, verbose: boolean): void {
  noteError(error);
  if (verbose && error instanceof Error) note(String(error.stack));
  process.exitCode = isSkeinError(error, 'usage') ? 2 : 1;
}

/**
 * Text of others must not control the terminal: each control character becomes one visible character, so that positions
 * in the text stay the same.
 */
export function toPrintable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** A text as one line that fits into so many columns. */
export function oneLine(text: string, columns = 80): string {
  const start = text
    .slice(0, 4 * columns)
    .replace(/\s+/g, ' ')
    .trim();
  return cutToWidth(toPrintable(start), columns);
}

/** A number with its noun: `1 reply`, `2 replies`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A time for people, in UTC. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** The beginning of an id, long enough to be unique in practice. */
export function shortId(id: string): string {
  return id.slice(0, 10);
}

/** The error of a failed system call. */
interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly port?: number;
}

/** What to do about an error, by its code. */
const HINTS: Readonly<Partial<Record<SkeinErrorCode, string>>> = {
  authentication: 'Is the key right? "skein models" says which variable holds it.',
  permission: 'Is it the right key? "skein models" says which variable holds it.',
  not_found: '"skein models" with the name of a provider lists its models.',
  connection: '"skein doctor" shows the addresses.',
  store_read_only: '--store takes another place.',
  unknown_format: '--format and --dialect say it.',
  dialect_needed: '--dialect says it.',
  store_unreachable: 'Is it running? "skein doctor" looks.',
};

/** The text of an error: what went wrong, and what to do about it if that is known. */
export function errorText(error: unknown): string {
  if (isSystemError(error)) return systemText(error);
  const message = error instanceof Error ? error.message : String(error);
  return isSkeinError(error) ? withHint(message, error.code) : message;
}

export function withHint(message: string, code: string): string {
  const hint = Object.hasOwn(HINTS, code) ? HINTS[code as SkeinErrorCode] : undefined;
  if (hint === undefined) return message;
  return `${message}${/[.!?…]["'”)]*$/.test(message) ? '' : '.'} ${hint}`;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && 'syscall' in error && typeof error.code === 'string';
}

function systemText({ code, path, port, message }: SystemError): string {
  if (code === 'EADDRINUSE') return `Port ${port} is taken. Is Skein running already? --port takes another.`;
  if (path === undefined) return message;
  if (code === 'ENOENT') return `There is no ${path}.`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `${path} may not be used (${code}): change its permissions, or give another path.`;
  if (code === 'EISDIR') return `${path} is a folder, and a file is needed.`;
  if (code === 'ENOTDIR') return `${path} cannot be there: something above it is a file.`;
  return message;
}

/** Shows progress on standard error: on a terminal as one line that changes, elsewhere not at all. */
interface ProgressLine {
  /** `share` is the finished part, from 0 to 1, if it is known. */
  tell(line: string, share?: number): void;
  /** Removes the line. */
  end(): void;
}

const EVERY_MS = 100;
const WIDTH = 24;

export function progressLine(): ProgressLine {
  if (!process.stderr.isTTY) return { tell: () => undefined, end: () => undefined };
  let last = 0;
  return {
    tell(line, share) {
      if (Date.now() - last < EVERY_MS) return;
      last = Date.now();
      process.stderr.write(`\r\x1b[2K${share === undefined ? '' : `${bar(share)} `}${line}`);
    },
    end: () => process.stderr.write('\r\x1b[2K'),
  };
}

/** Shows the elapsed time of work whose progress is not known. */
export async function withProgress<T>(line: string, work: () => Promise<T>): Promise<T> {
  const progress = progressLine();
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  progress.tell(line);
  const ticking = setInterval(() => progress.tell(`${line} (${seconds()} s)`), 1000);
  try {
    return await work();
  } finally {
    clearInterval(ticking);
    progress.end();
  }
}

export function bar(share: number): string {
  const done = Math.min(1, Math.max(0, share));
  const full = Math.round(done * WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${`${Math.floor(done * 100)}`.padStart(3)} %`;
}
