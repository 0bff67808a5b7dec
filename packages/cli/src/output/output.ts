import { isSkeinError, SkeinError, type SkeinErrorCode } from '@skein/core';
import pico from 'picocolors';

/** Colours for a stream: only on a terminal, and never where `NO_COLOR` says no. */
function colorsFor(stream: { readonly isTTY?: boolean }) {
  return pico.createColors(stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb');
}

/** Colours for the result. */
export const colors = colorsFor(process.stdout);
const errorColors = colorsFor(process.stderr);

/** What was typed cannot be done, whatever the forest holds: exit code 2. */
export class UsageError extends SkeinError {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

/** A command cannot do what it was asked, for a reason that its words alone do not show: exit code 1. */
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
 * Whoever reads may stop early, as `head` does. Only the showing ends then: an answer that is under way is still stored
 * whole.
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

/** A part of the result, as it is. */
export function write(text: string): void {
  if (!isOutputClosed) process.stdout.write(text);
}

/** Writes the parts of a long result, no faster than they are read, and ends where nobody reads any more. */
export async function writeAll(parts: AsyncIterable<string>): Promise<void> {
  for await (const part of parts) {
    await new Promise<void>((resolve) => process.stdout.write(shown(part), () => resolve()));
    if (isOutputClosed) return;
  }
}

/** One line for a person on standard output. */
export function say(line = ''): void {
  write(`${line}\n`);
}

/** The whole result for a program. */
export function sayJson(value: unknown): void {
  write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A text as it is, byte for byte, unless a person looks at it. */
export function sayExactly(text: string): void {
  write(process.stdout.isTTY ? `${shown(text)}\n` : text);
}

/** What a person looks at must not steer the terminal; what goes elsewhere stays exact. */
function shown(text: string): string {
  return process.stdout.isTTY ? toPrintable(text) : text;
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
    `${errorColors.red('skein:')} ${toPrintable(errorText(error))
      .trim()
      .replace(/\s*\n\s*/g, ' ')}`,
  );
}

/** An error in one line; the rest only where it was asked for. */
export function failWith(error: unknown, verbose: boolean): void {
  noteError(error);
  if (verbose && error instanceof Error) note(String(error.stack));
  process.exitCode = isSkeinError(error, 'usage') ? 2 : 1;
}

/**
 * What others wrote must not steer the terminal: control characters become visible ones, one for one, so that places
 * in the text stay what they are.
 */
export function toPrintable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** A text in one line of at most so many characters. */
export function oneLine(text: string, width = 80): string {
  const line = toPrintable(
    text
      .slice(0, 4 * width)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

/** So many of something, in words: `1 reply`, `2 replies`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** An instant as people read it, in UTC. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** The beginning of an id that is enough for people. */
export function shortId(id: string): string {
  return id.slice(0, 10);
}

/** What Node says of a failed system call. */
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

/** An error in words: what went wrong, and what to do where that is known. */
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

/** Tells how far something is, on standard error: on a terminal one line that changes, elsewhere nothing until the end. */
interface ProgressLine {
  /** With how much of it is done, from 0 to 1, where that is known. */
  tell(line: string, share?: number): void;
  /** Takes the line away, so that what follows stands alone. */
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

/** For work that does not say how far it is: shows that it goes on. */
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
