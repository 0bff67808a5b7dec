import { createReadStream } from 'node:fs';
import { isJson } from '@skein/core';

/** A file's path, or its text in pieces. */
export type ImportSource = string | URL | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

const LONGEST_LOOK = 1024 * 1024;

/** The text of a source, of which the beginning can be looked at first. */
export interface TextSource {
  /** The first line that is not blank, or as much of it as is worth waiting for. */
  readonly firstLine: string;
  /** The first line ended, and there is more than blanks behind it. */
  readonly hasMoreLines: boolean;
  /** All of it, from the start; only once. */
  chunks(): AsyncGenerator<string>;
  /** Characters that were read. */
  read(): number;
  /** Lets go of the file; also when not all of it was read. */
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

/** Characters may be cut between pieces; a byte order mark is no part of the text. */
async function* decode(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) yield typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/**
 * What a source is made of: the elements of a list, JSON lines, or one document. A first line that is whole JSON with
 * more behind it means lines.
 */
export async function* splitSource(source: TextSource, inLines: boolean): AsyncGenerator<SourcePiece> {
  const { firstLine } = source;
  const isWhole = isJson(firstLine);
  if (inLines || (isWhole && source.hasMoreLines)) yield* splitLines(source.chunks());
  else if (firstLine.startsWith('[')) yield* splitElements(source.chunks());
  else yield* readDocument(source);
}

/** One document; where it is none, the lines of it, because only the first of them may be broken. */
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

/** A piece of a source: an element of a list, a line, or all of it. */
export interface SourcePiece {
  readonly text: string;
  /** Such as `line 3`. */
  readonly where: string;
}

/** The lines that are not blank. */
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
 * The exact texts of the elements of a list that may be too long for one string. Only strings and brackets are
 * followed, and a bracket closes what it belongs to whatever was left open inside, so that a broken element mostly
 * costs no more than itself.
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
    // Nothing between the brackets is an empty list; nothing between commas is a broken one.
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
  // What is left was cut off, or stands behind the list: the reader says so.
  yield* take(true);
}
