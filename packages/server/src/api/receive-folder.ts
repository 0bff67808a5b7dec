import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FilePart } from '../http/multipart.ts';
import { Problem } from '../http/problem.ts';

const MAX_FILES = 100_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_SEGMENTS = 32;
const MAX_SEGMENT_BYTES = 255;
/** What the older layout has at its top. */
const ROOTS_FILE = 'roots.json';

/** Files as a folder that only this process may look into, for as long as `use` takes; then it is gone. */
export async function withFolderOf<T>(files: AsyncIterable<FilePart>, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-import-'));
  try {
    return await use(await writeAll(files, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where the older layout is in it: a browser names files from the folder that was dropped, or from one above it. */
async function writeAll(files: AsyncIterable<FilePart>, folder: string): Promise<string> {
  let count = 0;
  let bytes = 0;
  let top: readonly string[] | undefined;
  for await (const { filename, content } of files) {
    const segments = segmentsOf(filename);
    if (++count > MAX_FILES) throw tooLarge(`A folder may have ${MAX_FILES} files.`);
    await writeFile(join(folder, ...segments), filename, content, (size) => {
      bytes += size;
      if (bytes > MAX_BYTES) throw tooLarge(`The files of a folder may have ${MAX_BYTES / 1024 / 1024} MB together.`);
    });
    if (segments.at(-1) === ROOTS_FILE && (top === undefined || segments.length <= top.length))
      top = segments.slice(0, -1);
  }
  if (top) return join(folder, ...top);
  throw new Problem(
    422,
    'unknown_format',
    `There is no "${ROOTS_FILE}" among the files: it is not a folder of the older layout.`,
  );
}

/** A path that leads nowhere but into the folder. */
function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/');
  const isPlain = (segment: string) =>
    segment !== '' &&
    segment !== '.' &&
    segment !== '..' &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a file's name
    !/[\\\u0000-\u001f]/.test(segment) &&
    Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES;
  if (segments.length <= MAX_SEGMENTS && segments.every(isPlain)) return segments;
  throw badPath(path, 'give each file its path from the folder, with plain names and slashes');
}

async function writeFile(
  place: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
  onBytes: (size: number) => void,
): Promise<void> {
  const file = await openNew(place, name);
  try {
    for await (const chunk of content) {
      onBytes(chunk.length);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
}

async function openNew(place: string, name: string) {
  try {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    return await open(place, 'wx', 0o600);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(code))
      throw badPath(name, 'two files cannot have one place');
    throw error;
  }
}

function badPath(path: string, why: string): Problem {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  return new Problem(422, 'bad_path', `The file ${JSON.stringify(shown)} cannot be taken: ${why}.`);
}

function tooLarge(detail: string): Problem {
  return new Problem(413, 'too_large', detail);
}
