import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ImportedConversation, ImportedSession, LogPast } from '../importer.ts';
import type { WrittenPart } from '../write-conversation.ts';

/** What is stored of how far a log was read. */
export interface StoredReading {
  /** The byte from which it is read the next time. */
  readonly position: number;
  /** A hash of bytes before it, to notice that the log is another one by now. */
  readonly check: string;
  /** How many lines are before it, and how many were read. */
  readonly lines: number;
  readonly seen: number;
  readonly session: ImportedSession;
  readonly last?: string | undefined;
  readonly memo?: unknown;
  /** The nodes of the last messages before the position, and of those behind it, by the keys of their lines. */
  readonly closed: Readonly<Record<string, string>>;
  readonly open: Readonly<Record<string, string>>;
  readonly opening?: string | undefined;
  readonly met?: string | undefined;
}

/** How many keys are stored. Later lines rarely follow older ones; if one does, the log is read from its beginning. */
const STORED_KEYS = 32;
/** How many bytes are compared, at the beginning of a log and before the position. */
const CHECKED_BYTES = 1024;

/** How far a log was read, and what the reader has to know of the lines before. */
export class LogReading {
  readonly position: number;
  readonly lines: number;
  /** How many lines were read: those behind the position are read again. */
  readonly seen: number;
  readonly #session: ImportedSession | undefined;
  readonly #last: string | undefined;
  /** The key of the last message behind the position. */
  readonly #newest: string | undefined;
  readonly #memo: unknown;
  readonly #closed: Map<string, string>;
  readonly #open: ReadonlyMap<string, string>;
  readonly #keep: readonly string[];
  readonly #isWhole: boolean;
  readonly #part: Pick<WrittenPart, 'opening' | 'met'>;

  private constructor(from: Omit<StoredReading, 'check' | 'closed' | 'open' | 'session'> & ReadingParts) {
    this.position = from.position;
    this.lines = from.lines;
    this.seen = from.seen;
    this.#session = from.session;
    this.#last = from.last;
    this.#newest = from.newest;
    this.#memo = from.memo;
    this.#closed = from.closed;
    this.#open = from.open;
    this.#keep = from.keep;
    this.#isWhole = from.isWhole;
    this.#part = { opening: from.opening, met: from.met };
  }

  /** A log of which nothing was read. */
  static begin(): LogReading {
    const nothing = { closed: new Map(), open: new Map(), keep: [], session: undefined, isWhole: true };
    return new LogReading({ position: 0, lines: 0, seen: 0, ...nothing });
  }

  static restore(stored: StoredReading): LogReading {
    return new LogReading({
      ...stored,
      closed: new Map(Object.entries(stored.closed)),
      open: new Map(Object.entries(stored.open)),
      keep: [],
      isWhole: false,
    });
  }

  /** Whether another session was read at this path before. */
  isOfAnother({ session }: ImportedConversation): boolean {
    const known = this.#session;
    return known !== undefined && (known.id !== session?.id || known.subagent !== session.subagent);
  }

  /** The ids of the nodes that it names. */
  get nodes(): string[] {
    return [...new Set([...this.#closed.values(), ...this.#open.values()])];
  }

  /** What the reader of the lines from the position on gets; undefined at the beginning of a log. */
  get past(): LogPast | undefined {
    if (this.position === 0 || !this.#session) return undefined;
    return {
      lines: this.lines,
      session: this.#session,
      last: this.#last,
      has: (key) => this.#closed.has(key),
      isWhole: this.#isWhole,
      memo: this.#memo,
    };
  }

  /** What was written of it; undefined if nothing was. */
  get written(): WrittenPart | undefined {
    if (!this.#session) return undefined;
    const nodes = {
      get: (key: string) => this.#open.get(key) ?? this.#closed.get(key),
      has: (key: string) => this.#open.has(key) || this.#closed.has(key),
    };
    return { nodes, isWhole: this.#isWhole, ...this.#part };
  }

  /** How far it was read with a part of the log that was written. */
  advance(read: ImportedConversation, written: WrittenPart, { starts, end }: LogPart): LogReading {
    const { closed: count = 0, links, memo, keep = [] } = read.progress ?? {};
    const lines = this.lines + count;
    const closed = this.#closed;
    const open = new Map<string, string>();
    let last = this.#last;
    for (const { key, keys = [], line = 0 } of read.messages) {
      const node = written.nodes.get(key);
      if (node === undefined) continue;
      const isClosed = line <= lines;
      if (isClosed) last = key;
      for (const one of [key, ...keys]) (isClosed ? closed : open).set(one, node);
    }
    for (const [key, { to, line }] of links ?? []) {
      const node = closed.get(to) ?? open.get(to);
      if (node !== undefined) (line <= lines ? closed : open).set(key, node);
    }
    return new LogReading({
      position: starts[count] ?? end,
      lines,
      seen: this.lines + starts.length,
      session: read.session,
      last,
      newest: read.messages.at(-1)?.key,
      memo,
      closed,
      open,
      keep: [...keep, ...(last === undefined ? [] : [last])],
      isWhole: this.#isWhole,
      opening: written.opening,
      met: written.met,
    });
  }

  /** How far it was read behind lines that cannot be read. */
  skip(position: number, count: number): LogReading {
    for (const [key, node] of this.#open) this.#closed.set(key, node);
    return new LogReading({
      position,
      lines: this.lines + count,
      seen: Math.max(this.seen, this.lines + count),
      session: this.#session,
      last: this.#newest ?? this.#last,
      memo: this.#memo,
      closed: this.#closed,
      open: new Map(),
      keep: this.#keep,
      isWhole: this.#isWhole,
      ...this.#part,
    });
  }

  /** What to store; undefined if nothing was written. */
  async store(file: FileHandle): Promise<StoredReading | undefined> {
    if (!this.#session) return undefined;
    const recent = [...this.#closed.keys()].slice(-STORED_KEYS).map((key) => [key, this.#closed.get(key)!] as const);
    const kept = this.#keep.flatMap((key) => (this.#closed.has(key) ? [[key, this.#closed.get(key)!] as const] : []));
    return {
      position: this.position,
      check: await hashBefore(file, this.position),
      lines: this.lines,
      seen: this.seen,
      session: this.#session,
      last: this.#last,
      memo: this.#memo,
      closed: Object.fromEntries([...recent, ...kept]),
      open: Object.fromEntries(this.#open),
      ...this.#part,
    };
  }
}

interface ReadingParts {
  readonly session: ImportedSession | undefined;
  readonly newest?: string | undefined;
  readonly closed: Map<string, string>;
  readonly open: ReadonlyMap<string, string>;
  readonly keep: readonly string[];
  readonly isWhole: boolean;
}

/** Whether a log still begins with what was read of it. */
export async function isContinued(file: FileHandle, size: number, stored: StoredReading): Promise<boolean> {
  return size >= stored.position && (await hashBefore(file, stored.position)) === stored.check;
}

async function hashBefore(file: FileHandle, position: number): Promise<string> {
  const hash = createHash('sha256');
  const length = Math.min(CHECKED_BYTES, position);
  for (const from of [0, position - length]) hash.update(await readBytes(file, from, length));
  return hash.digest('hex').slice(0, 32);
}

/** Whole lines of a log. */
export interface LogPart {
  readonly text: string;
  /** Where the lines that are not blank start, in bytes of the log. */
  readonly starts: readonly number[];
  /** The byte behind the last of them. */
  readonly end: number;
  /** Whether the log ends there. Its last line may be half-written. */
  readonly isLast: boolean;
}

/** The longest line that is read. */
const LONGEST_LINE = Math.floor(constants.MAX_STRING_LENGTH / 4);

/** Reads at least some bytes of a log from a position on, to the end of a line; undefined if its first line is too long. */
export async function readPart(
  file: FileHandle,
  { position, size, least }: { readonly position: number; readonly size: number; readonly least: number },
): Promise<LogPart | undefined> {
  let bytes = await readBytes(file, position, Math.min(least, size - position));
  while (position + bytes.length < size && !bytes.includes(NEWLINE)) {
    if (bytes.length >= LONGEST_LINE) return undefined;
    const more = Math.min(Math.max(bytes.length, least), size - position - bytes.length);
    bytes = Buffer.concat([bytes, await readBytes(file, position + bytes.length, more)]);
  }
  const isLast = position + bytes.length >= size;
  if (!isLast) bytes = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
  return { text: bytes.toString('utf8'), starts: lineStarts(bytes, position), end: position + bytes.length, isLast };
}

/** The position behind the line at a position. */
export async function skipLine(file: FileHandle, position: number, size: number): Promise<number> {
  for (let at = position; at < size; ) {
    const bytes = await readBytes(file, at, Math.min(1 << 20, size - at));
    const end = bytes.indexOf(NEWLINE);
    if (end >= 0) return at + end + 1;
    if (bytes.length === 0) break;
    at += bytes.length;
  }
  return size;
}

const NEWLINE = 10;
const BLANKS = new Set([9, 11, 12, 13, 32]);

function lineStarts(bytes: Buffer, offset: number): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    let first = at;
    while (first < end && BLANKS.has(bytes[first]!)) first += 1;
    if (first < end) starts.push(offset + at);
    at = end + 1;
  }
  return starts;
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
