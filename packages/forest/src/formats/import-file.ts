import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isObject, isSkeinError } from '@skein/core';
import type { Forest } from '../forest/index.ts';
import { FormatError } from './format-error.ts';
import { detectFormat, findImporter, type Importer } from './importer.ts';
import { importOlder } from './older/import-older.ts';
import { importSegments } from './segments.ts';
import { readJson } from './source/exact-json.ts';
import {
  type ImportSource,
  openTextSource,
  type SourcePiece,
  splitSource,
  type TextSource,
} from './source/text-source.ts';
import { writeConversation } from './write-conversation.ts';

export interface ImportOptions {
  /** Needed where nothing in the source says what it is. */
  readonly format?: string;
  /** What bare messages are written in; `legacy` is the older shape with string content. */
  readonly dialect?: string;
  /** Called now and then, and at the end. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  /** Characters of the source that were read; files, for a folder. */
  readonly read: number;
  /** Conversations that are in the forest now; records, for segments. */
  readonly elements: number;
  readonly messages: number;
  readonly problems: number;
}

export interface ImportResult {
  readonly format: string;
  /** The conversations, each a thread: the same source gives the same threads. */
  readonly threads: readonly string[];
  readonly elements: number;
  readonly messages: number;
  /** Nodes that were not there before. */
  readonly added: number;
  /** What could not be read. Of such an element nothing was written. */
  readonly problems: readonly ImportProblem[];
}

export interface ImportProblem {
  readonly code: string;
  /** Such as `line 3`, `element 2` or a file's name. */
  readonly where: string;
  readonly message: string;
}

/**
 * Brings conversations from elsewhere into a forest. Doing it twice is doing it once. An element that cannot be read
 * is reported, nothing of it is written, and the rest goes on; a source of which nothing is known is an error.
 */
export async function importFile(
  forest: Forest,
  source: ImportSource,
  options: ImportOptions = {},
): Promise<ImportResult> {
  if (options.format === 'older' || (await isFolder(source))) return importOlder(forest, requirePath(source), options);
  if (options.format !== undefined) findImporter(options.format);
  const text = await openTextSource(source);
  try {
    return await importText(forest, text, options);
  } finally {
    await text.close();
  }
}

async function importText(forest: Forest, text: TextSource, options: ImportOptions): Promise<ImportResult> {
  const tracker = createImportTracker(options, text.read);
  const { format, pieces } = await recognise(splitSource(text, isInLines(options.format)), options);
  const importer = findImporter(format);
  if (!importer) await importSegments(forest, pieces, tracker);
  else {
    const conversations = importer.element === 'message' ? joinMessages(pieces, tracker) : pieces;
    for await (const piece of conversations) await importOne(forest, importer, piece, options, tracker);
  }
  return tracker.result(format);
}

function requirePath(source: ImportSource): string {
  if (source instanceof URL) return fileURLToPath(source);
  if (typeof source === 'string') return source;
  throw new FormatError('unknown_format', 'The older layout is a folder: give its path.');
}

async function isFolder(source: ImportSource): Promise<boolean> {
  return (typeof source === 'string' || source instanceof URL) && (await stat(source)).isDirectory();
}

function isInLines(format: string | undefined): boolean {
  return format === 'segments' || (format !== undefined && findImporter(format)?.inLines === true);
}

/** The format, by what was asked for or by the first element that is JSON at all. */
async function recognise(
  pieces: AsyncGenerator<SourcePiece>,
  { format, dialect }: ImportOptions,
): Promise<{ format: string; pieces: AsyncIterable<SourcePiece> }> {
  if (format !== undefined) return { format, pieces };
  const seen: SourcePiece[] = [];
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    seen.push(next.value);
    const value = tryParse(next.value.text);
    if (value === undefined) continue;
    return { format: dialect === undefined ? detectFormat(value) : withDialect(value), pieces: chain(seen, pieces) };
  }
  throw new FormatError('not_json', seen.length === 0 ? 'The source is empty.' : 'There is no JSON in the source.');
}

/** Who names a dialect has messages: bare ones, or lines of requests. */
function withDialect(value: unknown): string {
  return isObject(value) && ['messages', 'contents', 'input'].some((name) => Array.isArray(value[name]))
    ? 'fine-tuning'
    : 'messages';
}

async function* chain(seen: readonly SourcePiece[], rest: AsyncIterable<SourcePiece>): AsyncGenerator<SourcePiece> {
  yield* seen;
  yield* rest;
}

async function importOne(
  forest: Forest,
  importer: Importer,
  { text, where }: SourcePiece,
  { dialect }: ImportOptions,
  tracker: ImportTracker,
): Promise<void> {
  try {
    const { thread, messages, added } = await writeConversation(forest, importer.id, importer.read(text, { dialect }));
    tracker.thread(thread);
    tracker.done({ elements: 1, messages, added });
  } catch (error) {
    if (!isElementError(error)) throw error;
    tracker.problem(where, error);
  }
}

/** Whether an element is to blame: it is reported then. A failing store, or a mistake of ours, ends the import. */
function isElementError(error: unknown): boolean {
  return isSkeinError(
    error,
    'unknown_format',
    'wrong_shape',
    'not_json',
    'broken_tree',
    'would_overwrite',
    'invalid_json',
    'invalid_blocks_message',
    'invalid_legacy_message',
    'unreadable_messages',
    'not_this_protocol',
  );
}

/** Elements that are messages make one conversation; a list, or an object with "messages", is one of its own. */
async function* joinMessages(pieces: AsyncIterable<SourcePiece>, progress: ImportTracker): AsyncGenerator<SourcePiece> {
  const texts: string[] = [];
  let isBroken = false;
  for await (const piece of pieces) {
    const value = tryParse(piece.text);
    if (Array.isArray(value) || (isObject(value) && Array.isArray(value.messages))) yield piece;
    else if (value !== undefined) texts.push(piece.text);
    else {
      // A history with a hole would be another history.
      isBroken = true;
      progress.problem(
        piece.where,
        new FormatError('not_json', 'Not JSON: the conversation it belongs to is left out.'),
      );
    }
  }
  if (texts.length > 0 && !isBroken) yield { text: `[${texts.join(',')}]`, where: 'document' };
}

/** The value of a text; undefined when it is no JSON. */
function tryParse(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** Counts what an import does, and tells of it. */
export interface ImportTracker {
  done(counts: { readonly elements: number; readonly messages: number; readonly added: number }): void;
  thread(id: string): void;
  problem(where: string, error: unknown): void;
  result(format: string): ImportResult;
}

export function createImportTracker({ onProgress }: ImportOptions, read: () => number): ImportTracker {
  const threads = new Set<string>();
  const problems: ImportProblem[] = [];
  let elements = 0;
  let messages = 0;
  let added = 0;
  const tell = () => onProgress?.({ read: read(), elements, messages, problems: problems.length });
  return {
    done(counts) {
      elements += counts.elements;
      messages += counts.messages;
      added += counts.added;
      tell();
    },
    thread(id) {
      threads.add(id);
    },
    problem(where, error) {
      const { code, message } = error as { code?: unknown; message?: unknown };
      problems.push({ code: typeof code === 'string' ? code : 'unreadable', where, message: String(message ?? error) });
    },
    result(format) {
      tell();
      return { format, threads: [...threads], elements, messages, added, problems };
    },
  };
}
