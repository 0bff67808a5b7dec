import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isObject } from '@skein/core';
import type { Forest } from '../forest/index.ts';
import { FormatError, isElementError } from './format-error.ts';
import { createImportTracker, type ImportProblem, type ImportTracker } from './import-tracker.ts';
import { detectFormat, findImporter, type Importer } from './importer.ts';
import { importOlder } from './older/index.ts';
import { importSegments } from './segments.ts';
import { agentOfFolder } from './session-logs/find-logs.ts';
import { importSessions } from './session-logs/import-sessions.ts';
import { readJson } from './source/exact-json.ts';
import {
  type ImportSource,
  openTextSource,
  type SourcePiece,
  splitSource,
  type TextSource,
} from './source/text-source.ts';
import { writeConversation } from './write-conversation.ts';

/** Options of `importFile`. */
export interface ImportOptions {
  /** The id of the format; needed if nothing in the source shows it. */
  readonly format?: string;
  /** The dialect of bare messages; `legacy` is the older shape with string content. */
  readonly dialect?: string;
  /** Receives the progress from time to time, and at the end. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** How far an import has come. */
export interface ImportProgress {
  /** Characters read so far; for a folder, files. */
  readonly read: number;
  /** Conversations written so far; for segments, records. */
  readonly elements: number;
  readonly messages: number;
  readonly problems: number;
}

/** The result of an import. */
export interface ImportResult {
  readonly format: string;
  /** The ids of the threads. The same source gives the same threads. */
  readonly threads: readonly string[];
  readonly elements: number;
  readonly messages: number;
  /** The number of nodes that are new. */
  readonly added: number;
  /** The elements that could not be read. Nothing of them was written. */
  readonly problems: readonly ImportProblem[];
}

/**
 * Imports conversations into a forest. Importing the same source again changes nothing. An element that cannot be read
 * is reported and left out; a source in an unknown format is an error.
 *
 * @example
 * const { threads, problems } = await importFile(forest, 'conversations.json');
 */
export async function importFile(
  forest: Forest,
  source: ImportSource,
  options: ImportOptions = {},
): Promise<ImportResult> {
  if (options.format === 'older' || (await isFolder(source))) return importFolder(forest, requirePath(source), options);
  if (options.format !== undefined) findImporter(options.format);
  const text = await openTextSource(source);
  try {
    return await importText(forest, text, options);
  } finally {
    await text.close();
  }
}

/** A folder is that of a coding agent, or has the older layout. */
async function importFolder(forest: Forest, folder: string, options: ImportOptions): Promise<ImportResult> {
  const agent = options.format === 'older' ? undefined : await agentOfFolder(folder);
  if (!agent) return importOlder(forest, folder, options);
  const { threads, messages, added, problems } = await importSessions(forest, {
    agents: [agent.id],
    folder,
    onProgress: ({ logs, sessions, messages: count }) =>
      options.onProgress?.({ read: logs, elements: sessions, messages: count, problems: 0 }),
  });
  return { format: agent.id, threads, elements: threads.length, messages, added, problems };
}

async function importText(forest: Forest, text: TextSource, options: ImportOptions): Promise<ImportResult> {
  const tracker = createImportTracker(options, text.read);
  const { format, pieces } = await recognise(splitSource(text, isInLines(options.format)), options);
  const importer = findImporter(format);
  if (!importer) await importSegments(forest, pieces, tracker);
  else {
    const conversations =
      importer.element === 'message'
        ? joinMessages(pieces, tracker)
        : importer.element === 'line'
          ? joinLines(pieces)
          : pieces;
    for await (const piece of conversations) await importOne(forest, importer, piece, options, tracker);
  }
  return tracker.result(format);
}

function requirePath(source: ImportSource): string {
  if (source instanceof URL) return fileURLToPath(source);
  if (typeof source === 'string') return source;
  throw new FormatError('unknown_format', 'The older layout is a folder, so it can only be imported by its path.');
}

async function isFolder(source: ImportSource): Promise<boolean> {
  return (typeof source === 'string' || source instanceof URL) && (await stat(source)).isDirectory();
}

function isInLines(format: string | undefined): boolean {
  return format === 'segments' || (format !== undefined && findImporter(format)?.inLines === true);
}

/** The requested format, or the one that the first JSON element shows. */
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
  throw new FormatError('not_json', seen.length === 0 ? 'The source is empty.' : 'The source contains no JSON.');
}

/** The format if the caller named a dialect: fine-tuning lines, or bare messages. */
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
    const conversation = importer.read(text, { dialect });
    const { thread, messages, added } = await writeConversation(forest, importer.id, conversation);
    for (const problem of conversation.problems ?? [])
      tracker.problem(problem.where, new FormatError('wrong_shape', problem.message));
    tracker.thread(thread);
    tracker.done({ elements: 1, messages, added });
  } catch (error) {
    if (!isElementError(error)) throw error;
    tracker.problem(where, error);
  }
}

/**
 * Joins elements that are messages into one conversation. A list, or an object with "messages", is a conversation of
 * its own.
 */
async function* joinMessages(pieces: AsyncIterable<SourcePiece>, progress: ImportTracker): AsyncGenerator<SourcePiece> {
  const texts: string[] = [];
  let isBroken = false;
  for await (const piece of pieces) {
    const value = tryParse(piece.text);
    if (Array.isArray(value) || (isObject(value) && Array.isArray(value.messages))) yield piece;
    else if (value !== undefined) texts.push(piece.text);
    else {
      // A history with a gap would be another history, so the whole conversation is left out.
      isBroken = true;
      progress.problem(piece.where, new FormatError('not_json', 'This is not JSON, so its conversation was left out.'));
    }
  }
  if (texts.length > 0 && !isBroken) yield { text: `[${texts.join(',')}]`, where: 'document' };
}

/** Joins the lines of a log, which are one conversation. */
async function* joinLines(pieces: AsyncIterable<SourcePiece>): AsyncGenerator<SourcePiece> {
  const texts: string[] = [];
  for await (const { text } of pieces) texts.push(text);
  yield { text: texts.join('\n'), where: 'document' };
}

/** Parses a text; undefined if it is not JSON. */
function tryParse(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
