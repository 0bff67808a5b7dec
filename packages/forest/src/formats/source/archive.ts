import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import { FormatError } from '../format-error.ts';

/** The files of an export: a zip, or the folder that was unpacked from it. */
export interface Archive {
  readonly files: readonly ArchiveFile[];
  close(): Promise<void>;
}

/** A file of an archive. */
export interface ArchiveFile {
  /** Its path inside the archive, with slashes. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  read(): Promise<AsyncIterable<Uint8Array>>;
}

/** More files than any export has; a zip that claims more is not one. */
const MAX_FILES = 200_000;
const MAX_DEPTH = 12;

/** Opens a zip. Names that lead out of it, and sizes that are not as stated, are refused. */
export async function openZip(path: string): Promise<Archive> {
  // Few imports need it.
  const { openPromise } = await import('yauzl');
  try {
    const zip = await openPromise(path, { autoClose: false, lazyEntries: true });
    const files: ArchiveFile[] = [];
    for await (const entry of zip.eachEntry()) {
      if (files.length >= MAX_FILES) throw new FormatError('wrong_shape', `${path} has more than ${MAX_FILES} files.`);
      const { fileName: name, uncompressedSize: size } = entry;
      if (!name.endsWith('/')) files.push({ name, size, read: () => zip.openReadStreamPromise(entry) });
    }
    return { files, close: async () => zip.close() };
  } catch (error) {
    if (error instanceof FormatError || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw new FormatError('wrong_shape', `${path} is not a zip that can be read: ${(error as Error).message}`, error);
  }
}

/** Opens a folder. Links are not followed. */
export async function openFolder(folder: string): Promise<Archive> {
  const files: ArchiveFile[] = [];
  const visit = async (place: string, depth: number): Promise<void> => {
    for (const entry of await readdir(place, { withFileTypes: true })) {
      const path = join(place, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH) await visit(path, depth + 1);
      if (!entry.isFile()) continue;
      if (files.length >= MAX_FILES)
        throw new FormatError('wrong_shape', `${folder} has more than ${MAX_FILES} files.`);
      const name = relative(folder, path).split(sep).join('/');
      files.push({ name, size: (await stat(path)).size, read: async () => createReadStream(path) });
    }
  };
  await visit(folder, 0);
  return { files: files.toSorted((a, b) => (a.name < b.name ? -1 : 1)), close: async () => undefined };
}

/** A file that a message names, as its data in base64. */
export interface AttachedFile {
  readonly mediaType: string;
  readonly data: string;
  readonly name: string;
}

/** Larger files stay outside: they would make every request of the conversation too large. */
const MAX_ATTACHED = 32 * 1024 * 1024;

/**
 * Finds a file by what a message calls it: its name, or an id with which its name begins. Of several, the first in the
 * order of the archive.
 */
export function findFile({ files }: Archive, pointer: string): ArchiveFile | undefined {
  const id = pointer.replace(/^[a-z-]+:\/\//i, '').replace(/[#?].*$/, '');
  if (id === '') return undefined;
  const matches = (name: string) => name === id || (name.startsWith(id) && /^[-._]/.test(name.slice(id.length)));
  return files.find(({ name, size }) => size <= MAX_ATTACHED && matches(basename(name)));
}

export async function readAttached(file: ArchiveFile): Promise<AttachedFile> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await file.read()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const name = basename(file.name);
  return { mediaType: mediaTypeOf(name, bytes), data: bytes.toString('base64'), name };
}

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.html': 'text/html',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.m4a': 'audio/mp4',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

/** What a file of a known kind begins with. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['\x89PNG', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['%PDF', 'application/pdf'],
];

/** The bytes count before the name: exports give pictures any ending. */
function mediaTypeOf(name: string, bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 12);
  const known = BEGINNINGS.find(([beginning]) => start.startsWith(beginning))?.[1];
  if (known !== undefined) return known;
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp';
  return TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream';
}
