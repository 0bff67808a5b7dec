import { createReadStream } from 'node:fs';
import { isJson } from '@skein/core';

/** A file's path, or its text in pieces. */
export type ImportSource = string | URL | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const LONGEST_LOOK = 1024 * 1024;

/** The text of a source, with a look at its beginning. */
export interface TextSource {
  /** The first line that is not blank, up to a limit. */
  readonly firstLine: string;
  /** Whether more than blanks follows the first line. */
  readonly hasMoreLines: boolean;
  /** The whole text from the start. Call it once. */
  chunks(): AsyncGenerator<string>;
  /** The number of characters read so far. */
  read(): number;
  /** Closes the file, even if it was not read to its end. */
  close(): Promise<void>;
}

export async function openTextSource(source: ImportSource): Promise<TextSource> {
  const pieces = decode(typeof source === 'string' || source instanceof URL ? createReadStream(source) : source);
  let start = '';
  let count = 0;
  const more = async (): Promise<boolean> => {
    const { value, done } = await pieces.next();
    start += value ?? '';
    return done !== true;
  };
  let line = findFirstLine(start);
  while (!line.isWhole && start.length < LONGEST_LOOK && (await more())) line = findFirstLine(start);
  while (line.isWhole && start.slice(line.end).trim() === '' && (await more()));
  return {
    firstLine: line.text,
    hasMoreLines: line.isWhole && start.slice(line.end).trim() !== '',
    read: () => count,
    close: async () => void (await pieces.return(undefined)),
    async *chunks() {
      count = start.length;
      yield start;
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
        count += next.value.length;
        yield next.value;
      }
    },
  };
}

function findFirstLine(text: string): { text: string; end: number; isWhole: boolean } {
  const start = text.search(/\S/);
  if (start < 0) return { text: '', end: text.length, isWhole: false };
  const end = text.indexOf('\n', start);
  return end < 0
    ? { text: text.slice(start), end: text.length, isWhole: false }
    : { text: text.slice(start, end), end, isWhole: true };
}

/** Decodes bytes; a character may be split between two pieces, and a byte order mark is dropped. */
async function* decode(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) yield typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/**
 * Splits a source into the elements of a list, JSON lines, or one document. If the first line is complete JSON and more
 * follows, the source has lines.
 */
export async function* splitSource(source: TextSource, inLines: boolean): AsyncGenerator<SourcePiece> {
  const { firstLine } = source;
  const isWhole = isJson(firstLine);
  if (inLines || (isWhole && source.hasMoreLines)) yield* splitLines(source.chunks());
  else if (firstLine.startsWith('[')) yield* splitElements(source.chunks());
  else yield* readDocument(source);
}

/**
 * Reads one document. If it is not JSON but some of its lines are, it returns the lines: only the first may be broken.
 */
async function* readDocument(source: TextSource): AsyncGenerator<SourcePiece> {
  const chunks: string[] = [];
  for await (const chunk of source.chunks()) chunks.push(chunk);
  const text = chunks.join('').trim();
  const lines = text.split('\n');
  if (isJson(text) || !lines.some((line) => /^\s*[{[]/.test(line) && isJson(line))) {
    if (text !== '') yield { text, where: 'document' };
  } else yield* splitLines(fromArray(chunks));
}

async function* fromArray(items: readonly string[]): AsyncGenerator<string> {
  yield* items;
}

/** A piece of a source: an element of a list, a line, or the whole document. */
export interface SourcePiece {
  readonly text: string;
  /** Where it is in the source, such as `line 3`. */
  readonly where: string;
}

/** Yields the lines that are not blank. */
async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<SourcePiece> {
  let open: string[] = [];
  let number = 0;
  for await (const chunk of chunks) {
    const parts = chunk.split('\n');
    for (const [index, part] of parts.entries()) {
      open.push(part);
      if (index === parts.length - 1) break;
      yield* makeLine(open, ++number);
      open = [];
    }
  }
  yield* makeLine(open, ++number);
}

function* makeLine(parts: readonly string[], number: number): Generator<SourcePiece> {
  const text = parts.join('').trim();
  if (text !== '') yield { text, where: `line ${number}` };
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPENED_BY: Readonly<Record<number, number>> = { 93: 91, 125: 123 };
const OPEN = new Set(Object.values(OPENED_BY));

/**
 * Yields the exact texts of the elements of a list that may be too long for one string. It follows only strings and
 * brackets, and a closing bracket closes everything left open inside, so that a broken element rarely damages its
 * neighbours.
 */
async function* splitElements(chunks: AsyncIterable<string>): AsyncGenerator<SourcePiece> {
  let parts: string[] = [];
  const open: number[] = [];
  let inString = false;
  let isEscaped = false;
  let index = 0;
  const take = function* (isLast: boolean): Generator<SourcePiece> {
    const text = parts.join('').trim();
    parts = [];
    // Nothing between the brackets means an empty list; nothing between commas means a broken element.
    if (text !== '' || !isLast) yield { text, where: `element ${index}` };
    index += 1;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (inString) {
        if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) inString = false;
      } else if (code === QUOTE) inString = true;
      else if (OPEN.has(code)) {
        open.push(code);
        if (open.length === 1) from = at + 1;
      } else if (OPENED_BY[code] !== undefined) {
        const opened = open.lastIndexOf(OPENED_BY[code]);
        if (opened >= 0) open.length = opened;
        if (opened !== 0) continue;
        parts.push(chunk.slice(from, at));
        yield* take(true);
        from = at + 1;
      } else if (code === COMMA && open.length === 1) {
        parts.push(chunk.slice(from, at));
        yield* take(false);
        from = at + 1;
      }
    }
    parts.push(chunk.slice(from));
  }
  // The rest was cut off or follows the list; the importer will report it.
  yield* take(true);
}
