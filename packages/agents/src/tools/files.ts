import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { SkeinError, type Tool, tool } from '@skein/core';

const MAX_READ = 200_000;

const pathOnly = (description: string) => ({ type: 'string', description }) as const;

/**
 * The tools `read_file`, `list_files` and `search_files`, for one folder and everything below it.
 *
 * @example
 * await run({ model, messages, tools: fileTools('docs') }).result;
 */
export function fileTools(folder: string): readonly Tool[] {
  return [readFile(folder), listFiles(folder), searchFiles(folder)] as readonly Tool[];
}

const readFile = (folder: string) =>
  tool({
    name: 'read_file',
    description: `Reads a text file. Long files are cut after ${MAX_READ} bytes.`,
    input: {
      type: 'object',
      properties: { path: pathOnly('The file, from the folder that list_files shows, such as "notes/today.md"') },
      required: ['path'],
      additionalProperties: false,
    },
    execute: async ({ path }) => {
      const { text, cut } = await explained(readText(folder, String(path), MAX_READ), String(path));
      return cut ? `${text}\n[The file goes on.]` : text;
    },
  });

const listFiles = (folder: string) =>
  tool({
    name: 'list_files',
    description: 'Lists the files and folders in a folder.',
    input: {
      type: 'object',
      properties: { path: pathOnly('The folder; leave it out for the top') },
      additionalProperties: false,
    },
    execute: async ({ path = '' }) => ({ entries: await explained(listFolder(folder, String(path)), String(path)) }),
  });

const searchFiles = (folder: string) =>
  tool({
    name: 'search_files',
    description: 'Finds lines that contain a text in all text files of a folder and the folders in it.',
    input: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, description: 'What to find; the case does not matter' },
        path: pathOnly('The folder; leave it out for the top'),
      },
      required: ['text'],
      additionalProperties: false,
    },
    execute: async ({ text, path = '' }, { signal }) => ({
      ...(await explained(searchBelow(folder, String(path), String(text), signal), String(path))),
    }),
  });

/** Hides system errors: they contain real paths, which the model must not see. */
async function explained<T>(doing: Promise<T>, path: string): Promise<T> {
  try {
    return await doing;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    const words = code === undefined ? undefined : SYSTEM_WORDS[code];
    throw words === undefined ? error : new Error(`${JSON.stringify(path)}: ${words}.`);
  }
}

const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'there is no such file or folder',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  ELOOP: 'it is a link that leads nowhere',
  ENAMETOOLONG: 'the name is too long',
  ENXIO: 'it is neither a file nor a folder',
};

interface Entry {
  /** Relative to the folder of the tools. */
  readonly path: string;
  readonly type: 'file' | 'folder';
}

/** The entries of a folder, by name, without hidden files, links and devices. */
async function listFolder(folder: string, path: string): Promise<Entry[]> {
  const opened = await openBelow(folder, path);
  try {
    if (!(await opened.handle.stat()).isDirectory()) throw new OutsideError(path, 'it is a file, not a folder');
    // By its descriptor if the system allows it: the path may have become another folder.
    const place = process.platform === 'linux' ? `/proc/self/fd/${opened.handle.fd}` : opened.path;
    const entries = await readdir(place, { withFileTypes: true });
    // On other systems the path is checked again afterwards.
    if (process.platform !== 'linux') await (await openBelow(folder, path)).handle.close();
    return entries
      .filter((entry) => !entry.name.startsWith('.') && (entry.isFile() || entry.isDirectory()))
      .map((entry): Entry => {
        const inner = opened.name ? `${opened.name}/${entry.name}` : entry.name;
        return { path: inner, type: entry.isDirectory() ? 'folder' : 'file' };
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  } finally {
    await opened.handle.close();
  }
}

interface ReadText {
  readonly text: string;
  /** Whether the file is longer. */
  readonly cut: boolean;
}

/** The beginning of a text file below a folder. */
async function readText(folder: string, path: string, maxBytes: number): Promise<ReadText> {
  const { handle } = await openBelow(folder, path);
  try {
    const about = await handle.stat();
    if (!about.isFile()) throw new OutsideError(path, 'it is a folder, not a file');
    const buffer = Buffer.alloc(Math.min(about.size, maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const cut = length > maxBytes || (length === buffer.length && about.size > length);
    const bytes = buffer.subarray(0, Math.min(length, maxBytes));
    if (bytes.includes(0)) throw new Error(`${JSON.stringify(path)} is not a text file.`);
    // An incomplete character at the end is left out.
    return { text: new TextDecoder('utf-8').decode(bytes, { stream: cut }), cut };
  } finally {
    await handle.close();
  }
}

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

interface Found {
  readonly hits: readonly Hit[];
  /** Whether a limit was reached, so that there may be more. */
  readonly cut: boolean;
}

const MAX_FILES = 5_000;
const MAX_HITS = 100;
const MAX_FILE_BYTES = 2_000_000;
const MAX_LINE = 400;

/** Finds lines that contain a text, ignoring case. Not by regular expressions: a model could write one that never ends. */
async function searchBelow(folder: string, path: string, wanted: string, signal: AbortSignal): Promise<Found> {
  const lower = wanted.toLowerCase();
  const hits: Hit[] = [];
  let files = 0;
  const pending = [path];
  for (let place = pending.shift(); place !== undefined; place = pending.shift()) {
    // It was deleted or replaced after it was listed, so it is skipped.
    for (const entry of await listFolder(folder, place).catch(onlyFirst(place === path))) {
      signal.throwIfAborted();
      if (entry.type === 'folder') pending.push(entry.path);
      else {
        if (++files > MAX_FILES) return { hits, cut: true };
        hits.push(...(await hitsIn(folder, entry.path, lower)));
        if (hits.length >= MAX_HITS) return { hits: hits.slice(0, MAX_HITS), cut: true };
      }
    }
  }
  return { hits, cut: false };
}

const onlyFirst = (isFirst: boolean) => (error: unknown) => {
  if (isFirst) throw error;
  return [];
};

async function hitsIn(folder: string, path: string, lower: string): Promise<Hit[]> {
  try {
    const { text } = await readText(folder, path, MAX_FILE_BYTES);
    return text
      .split('\n')
      .map((line, index) => ({ path, line: index + 1, text: line.slice(0, MAX_LINE) }))
      .filter((hit) => hit.text.toLowerCase().includes(lower));
  } catch {
    // It is not a text or cannot be read, so it contains no match.
    return [];
  }
}

/** A path leads out of the folder, or to something that these tools do not read. */
class OutsideError extends SkeinError {
  override readonly name = 'OutsideError';
  readonly code = 'outside_folder';

  constructor(path: string, why: string) {
    super(`${JSON.stringify(path)} is refused: ${why}. Give a path below the folder, such as "notes/today.md".`);
  }
}

/** An open file or folder. `handle` stays inside the allowed folder, even if the path changes. */
interface OpenFile {
  readonly handle: FileHandle;
  /** The real path at the time of opening. */
  readonly path: string;
  /** Relative to the folder, with slashes. */
  readonly name: string;
}

/**
 * Opens a file or folder below a folder. The path is resolved and checked, and the opened file is checked again by its
 * descriptor, so that a link which was created in between is noticed before anything is read.
 */
async function openBelow(folder: string, path: string): Promise<OpenFile> {
  const steps = stepsOf(path);
  const root = await realpath(folder);
  const real = await realpath(join(root, ...steps));
  nameBelow(root, real, path);
  // Follows no links, and does not wait for the other end of a pipe.
  const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const opened = await pathOf(handle, real, path);
    const name = nameBelow(root, opened, path);
    const about = await handle.stat();
    if (!about.isFile() && !about.isDirectory()) throw new OutsideError(path, 'it is neither a file nor a folder');
    return { handle, path: opened, name };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The parts of a path from a person or a model. Parts that could lead elsewhere are refused before any file access. */
function stepsOf(path: string): string[] {
  if (path.includes('\0')) throw new OutsideError(path, 'it holds a zero character');
  if (isAbsolute(path) || /^[\\/]|^[A-Za-z]:|^~/.test(path)) throw new OutsideError(path, 'it is absolute');
  const steps = path.split(/[\\/]/).filter((step) => step !== '' && step !== '.');
  if (steps.includes('..')) throw new OutsideError(path, 'it contains ".."');
  if (sep === '\\' && steps.some((step) => /[:*?"<>|]|[. ]$/.test(step)))
    throw new OutsideError(path, 'it is no plain name');
  return steps;
}

/** The real path, relative to the folder. The comparison is exact, because both are spelt as in the file system. */
function nameBelow(root: string, real: string, path: string): string {
  const name = relative(root, real);
  if (name.split(sep)[0] === '..' || isAbsolute(name)) throw new OutsideError(path, 'it leads out of the folder');
  const steps = name.split(sep);
  // Hidden files (.env, .git) contain settings and keys, so they are refused under any name.
  if (steps.some((step) => step.startsWith('.'))) throw new OutsideError(path, 'it is hidden');
  return steps.join('/');
}

/** The current real path of an open file. */
async function pathOf(handle: FileHandle, real: string, path: string): Promise<string> {
  const told =
    process.platform === 'linux' ? await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined) : undefined;
  if (told !== undefined) return told;
  // Other systems do not tell: the path must lead to the same file, without links, before and after.
  const mine = await handle.stat();
  for (let look = 0; look < 2; look++) {
    const there = await stat(real);
    if (there.ino !== mine.ino || there.dev !== mine.dev || (await realpath(real)) !== real)
      throw new OutsideError(path, 'it changed while it was being opened');
  }
  return real;
}
