import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isObject } from '@skein/core';
import type { Forest } from '../forest/forest.ts';
import { detectFormat } from './detect.ts';
import { FormatError } from './format-error.ts';
import { gathered, parsed } from './gather.ts';
import { importSegments } from './import-segments.ts';
import { importOlder } from './older/import-older.ts';
import { plant } from './plant.ts';
import { createProgress, type Progress } from './progress.ts';
import { READERS, type Reader } from './readers/index.ts';
import type { Piece } from './source/lines.ts';
import { piecesOf } from './source/pieces.ts';
import { type ImportSource, openTextSource, type TextSource } from './source/text-source.ts';
import type { Imported, ImportFormat, ImportOptions } from './types.ts';

/**
 * Brings conversations from elsewhere into a forest. Doing it twice is doing it once. An element that cannot be read
 * is reported, nothing of it is written, and the rest goes on; a source of which nothing is known is an error.
 */
export async function importFile(forest: Forest, source: ImportSource, options: ImportOptions = {}): Promise<Imported> {
  if (options.format === 'older' || (await isFolder(source))) return importOlder(forest, pathOf(source), options);
  if (options.format !== undefined && options.format !== 'segments' && !Object.hasOwn(READERS, options.format))
    throw new FormatError(
      'unknown_format',
      `"${options.format}" is not a format; known: ${[...Object.keys(READERS), 'segments', 'older'].join(', ')}.`,
    );
  const text = await openTextSource(source);
  try {
    return await importText(forest, text, options);
  } finally {
    await text.close();
  }
}

async function importText(forest: Forest, text: TextSource, options: ImportOptions): Promise<Imported> {
  const progress = createProgress(options, text.read);
  const { format, pieces } = await recognise(piecesOf(text, isInLines(options.format)), options);
  if (format === 'segments') await importSegments(forest, pieces, progress);
  else {
    const reader = READERS[format as keyof typeof READERS];
    const conversations = reader.element === 'message' ? gathered(pieces, progress) : pieces;
    for await (const piece of conversations) await importOne(forest, format, reader, piece, options, progress);
  }
  return progress.result(format);
}

function pathOf(source: ImportSource): string {
  if (source instanceof URL) return fileURLToPath(source);
  if (typeof source === 'string') return source;
  throw new FormatError('unknown_format', 'The older layout is a folder: give its path.');
}

async function isFolder(source: ImportSource): Promise<boolean> {
  return (typeof source === 'string' || source instanceof URL) && (await stat(source)).isDirectory();
}

function isInLines(format: ImportFormat | undefined): boolean {
  return format === 'segments' || (format !== undefined && READERS[format as keyof typeof READERS]?.inLines === true);
}

/** The format, by what was asked for or by the first element that is JSON at all. */
async function recognise(
  pieces: AsyncGenerator<Piece>,
  { format, dialect }: ImportOptions,
): Promise<{ format: ImportFormat; pieces: AsyncIterable<Piece> }> {
  if (format !== undefined) return { format, pieces };
  const seen: Piece[] = [];
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    seen.push(next.value);
    const value = parsed(next.value.text);
    if (value === undefined) continue;
    return { format: dialect === undefined ? detectFormat(value) : withDialect(value), pieces: chain(seen, pieces) };
  }
  throw new FormatError('not_json', seen.length === 0 ? 'The source is empty.' : 'There is no JSON in the source.');
}

/** Who names a dialect has messages: bare ones, or lines of requests. */
function withDialect(value: unknown): ImportFormat {
  return isObject(value) && ['messages', 'contents', 'input'].some((name) => Array.isArray(value[name]))
    ? 'fine-tuning'
    : 'messages';
}

async function* chain(seen: readonly Piece[], rest: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  yield* seen;
  yield* rest;
}

async function importOne(
  forest: Forest,
  format: ImportFormat,
  reader: Reader,
  { text, where }: Piece,
  { dialect }: ImportOptions,
  progress: Progress,
): Promise<void> {
  try {
    const { thread, messages, added } = await plant(forest, format, reader.read(text, { dialect }));
    progress.thread(thread);
    progress.done({ elements: 1, messages, added });
  } catch (error) {
    if (!isAboutTheElement(error)) throw error;
    progress.problem(where, error);
  }
}

/** What is wrong with an element is reported; what is wrong with the store, or with us, ends the import. */
function isAboutTheElement(error: unknown): boolean {
  if (error instanceof FormatError) return error.code !== 'dialect_needed';
  const { name, code } = error as { name?: unknown; code?: unknown };
  return code !== 'unknown_dialect' && READING_ERRORS.has(name);
}

const READING_ERRORS: ReadonlySet<unknown> = new Set([
  'JsonTextError',
  'BlocksMessageError',
  'LegacyMessageError',
  'MessageListDeserializationError',
  'ProtocolError',
]);
