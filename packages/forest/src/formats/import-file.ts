import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject } from '@skein/core';
import type { Forest } from '../forest/index.ts';
import { FormatError, isElementError } from './format-error.ts';
import { importArchive } from './import-archive.ts';
import { createImportTracker, type ImportProblem, type ImportTracker } from './import-tracker.ts';
import type { ImportedConversation } from './importer.ts';
import { detectFormat, type FormatReader, findImporter } from './importers/index.ts';
import { readLlmLog } from './importers/llm.ts';
import { importOlder, isOlderLayout } from './older/index.ts';
import { importSegments } from './segments.ts';
import { agentOfFolder } from './session-logs/find-logs.ts';
import { importSessions } from './session-logs/import-sessions.ts';
import {
  type Archive,
  type ArchiveFile,
  type AttachedFile,
  findFile,
  openFolder,
  openZip,
  readAttached,
} from './source/archive.ts';
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
  /** What people should know, although nothing failed: conversations without messages, files that are missing. */
  readonly notes: readonly string[];
}

export async function importFile(
  forest: Forest,
  source: ImportSource,
  options: ImportOptions = {},
): Promise<ImportResult> {
  if (options.format !== undefined) findImporter(options.format);
  if (typeof source !== 'string' && !(source instanceof URL)) {
    const { start, pieces } = await peek(source);
    const kind = kindOf(start);
    if (kind === 'text') return importPieces(forest, pieces, options);
    return withTemporaryFile(pieces, (path) => importFile(forest, path, options));
  }
  const path = source instanceof URL ? fileURLToPath(source) : source;
  if (options.format === 'older' || (await stat(path)).isDirectory()) return importFolder(forest, path, options);
  const kind = kindOf(await readStart(path));
  if (kind === 'zip') return importFiles(forest, await openZip(path), path, options);
  if (kind === 'sqlite') return importPieces(forest, readLlmLog(path), { ...options, format: 'llm' });
  return importPieces(forest, path, options);
}

async function importPieces(
  forest: Forest,
  source: ImportSource,
  options: ImportOptions,
  archive?: Archive,
): Promise<ImportResult> {
  const text = await openTextSource(source);
  try {
    return await importText(forest, text, options, archive);
  } finally {
    await text.close();
  }
}

async function importFiles(
  forest: Forest,
  archive: Archive,
  path: string,
  options: ImportOptions,
): Promise<ImportResult> {
  try {
    const importOne = async (file: ArchiveFile) => importPieces(forest, await file.read(), options, archive);
    return await importArchive(archive, importOne, path);
  } finally {
    await archive.close();
  }
}

/** A folder is that of a coding agent, has the older layout, or is an export that was unpacked. */
async function importFolder(forest: Forest, folder: string, options: ImportOptions): Promise<ImportResult> {
  const agent = options.format === 'older' ? undefined : await agentOfFolder(folder);
  if (!agent) {
    if (options.format === 'older' || (await isOlderLayout(folder))) return importOlder(forest, folder, options);
    return importFiles(forest, await openFolder(folder), folder, options);
  }
  const { threads, messages, added, problems } = await importSessions(forest, {
    agents: [agent.id],
    folder,
    onProgress: ({ logs, sessions, messages: count }) =>
      options.onProgress?.({ read: logs, elements: sessions, messages: count, problems: 0 }),
  });
  return { format: agent.id, threads, elements: threads.length, messages, added, problems, notes: [] };
}

/** How many bytes show what a file is. */
const START = 16;

function kindOf(start: Uint8Array): 'zip' | 'sqlite' | 'text' {
  const text = Buffer.from(start).toString('latin1');
  if (text.startsWith('PK\x03\x04') || text.startsWith('PK\x05\x06')) return 'zip';
  return text.startsWith('SQLite format 3') ? 'sqlite' : 'text';
}

async function readStart(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START), 0, START, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

type Pieces = Exclude<ImportSource, string | URL>;

/** The first bytes of a source, and all of it again. */
async function peek(source: Pieces): Promise<{ readonly start: Uint8Array; readonly pieces: Pieces }> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const seen: (string | Uint8Array)[] = [];
  let start = Buffer.alloc(0);
  let isDone = false;
  while (start.length < START && !isDone) {
    const next = await iterator.next();
    isDone = next.done === true;
    if (next.done) break;
    seen.push(next.value);
    start = Buffer.concat([start, Buffer.from(next.value as Uint8Array)]);
  }
  const pieces = async function* () {
    try {
      yield* seen;
      while (!isDone) {
        const next = await iterator.next();
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  };
  return { start, pieces: pieces() };
}

/** Zips and databases are read at any place, so a stream of one is stored first, where only this user can read it. */
async function withTemporaryFile<T>(pieces: Pieces, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-import-'));
  try {
    const path = join(folder, 'source');
    await writeFile(path, pieces, { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function importText(
  forest: Forest,
  text: TextSource,
  options: ImportOptions,
  archive: Archive | undefined,
): Promise<ImportResult> {
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
    for await (const piece of conversations) await importOne(forest, importer, piece, { ...options, archive }, tracker);
  }
  return tracker.result(format);
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
  importer: FormatReader,
  { text, where }: SourcePiece,
  { dialect, archive }: ImportOptions & { readonly archive: Archive | undefined },
  tracker: ImportTracker,
): Promise<void> {
  try {
    const conversation = await readWithFiles(importer, text, dialect, archive, tracker);
    if (conversation.messages.length === 0) return tracker.empty();
    const { thread, messages, added } = await writeConversation(forest, importer.id, conversation, tracker.threads);
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
 * Reads a conversation, with the files that its messages name. Importers are pure functions, so a conversation with files
 * is read twice: once to learn their names, and again when they are there.
 */
async function readWithFiles(
  importer: FormatReader,
  text: string,
  dialect: string | undefined,
  archive: Archive | undefined,
  tracker: ImportTracker,
): Promise<ImportedConversation> {
  const wanted = new Map<string, readonly string[]>();
  const first = importer.read(text, {
    dialect,
    file: (...names) => {
      wanted.set(names.join('\n'), names);
      return undefined;
    },
  });
  if (!archive || wanted.size === 0) return first;
  const found = new Map<string, AttachedFile>();
  for (const [key, names] of wanted) {
    const file = names.map((name) => findFile(archive, name)).find((one) => one !== undefined);
    if (file) found.set(key, await readAttached(file));
    else tracker.missingFile(names.at(-1) ?? key);
  }
  return found.size === 0 ? first : importer.read(text, { dialect, file: (...names) => found.get(names.join('\n')) });
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
