import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Problem } from './problem.ts';

const MAX_FILES = 100_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_SEGMENTS = 32;
const MAX_SEGMENT_BYTES = 255;
/** What the older layout has at its top. */
const ROOTS_FILE = 'roots.json';

/** Files as a folder that only this process may look into, for as long as `use` takes; then it is gone. */
export async function withUploadedFolder<T>(
  files: AsyncIterable<FilePart>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
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
    const segments = splitPath(filename);
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
    'unknown_format',
    `There is no "${ROOTS_FILE}" among the files: it is not a folder of the older layout.`,
  );
}

/** A path that leads nowhere but into the folder. */
function splitPath(path: string): readonly string[] {
  const segments = path.split('/');
  const isPlainPath = (segment: string) =>
    segment !== '' &&
    segment !== '.' &&
    segment !== '..' &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a file's name
    !/[\\\u0000-\u001f]/.test(segment) &&
    Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES;
  if (segments.length <= MAX_SEGMENTS && segments.every(isPlainPath)) return segments;
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
  return new Problem('bad_path', `The file ${JSON.stringify(shown)} cannot be stored: ${why}.`, { status: 422 });
}

function tooLarge(detail: string): Problem {
  return new Problem('too_large', detail);
}

/** A file of a multipart/form-data body. Its content has to be read before the next part. */
interface FilePart {
  readonly filename: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Bytes of the headers of one part. */
const MAX_HEAD = 16 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** The files of a body, one after the other as they come; nothing is kept. Parts that are no files are passed over. */
export async function* readFileParts(
  contentType: string | undefined,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<FilePart> {
  const boundary = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '');
  if (!boundary) throw broken('send the files as multipart/form-data');
  const delimiter = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]}`);
  const reader = new Reader(body);
  for await (const _preamble of reader.until(delimiter));
  for (;;) {
    const head = await reader.head();
    if (head === undefined) return;
    const content = reader.until(delimiter);
    const filename = filenameIn(head);
    if (filename !== undefined) yield { filename, content };
    for await (const _unread of content);
  }
}

/** Looks for what ends a part, across the chunks it comes in. */
class Reader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  // The first delimiter may stand at the very beginning, without the line break before it.
  #buffer: Buffer = Buffer.from('\r\n');

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw broken('it ends in the middle of a part');
    this.#buffer = Buffer.concat([this.#buffer, value]);
  }

  /** Everything up to a mark, which is passed over. */
  async *until(mark: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#buffer.indexOf(mark);
      // The mark may have begun at the end of what is there.
      const safe = at < 0 ? Math.max(0, this.#buffer.length - mark.length + 1) : at;
      const piece = this.#buffer.subarray(0, safe);
      this.#buffer = this.#buffer.subarray(at < 0 ? safe : at + mark.length);
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      await this.#more();
    }
  }

  /** The headers of the next part; undefined behind the last one. */
  async head(): Promise<string | undefined> {
    while (this.#buffer.length < 2) await this.#more();
    if (this.#buffer.subarray(0, 2).toString() === '--') return undefined;
    let end = this.#buffer.indexOf(END_OF_HEAD);
    for (; end < 0; end = this.#buffer.indexOf(END_OF_HEAD)) {
      if (this.#buffer.length > MAX_HEAD) throw broken('the headers of a part are too long');
      await this.#more();
    }
    const head = this.#buffer.subarray(0, end).toString();
    this.#buffer = this.#buffer.subarray(end + END_OF_HEAD.length);
    return head;
  }
}

/** As browsers write it: in UTF-8, with quotes and line breaks as %22, %0D and %0A. */
function filenameIn(head: string): string | undefined {
  const found = /^content-disposition:.*;\s*filename="([^"]*)"/im.exec(head)?.[1];
  return found?.replace(/%(22|0D|0A)/gi, (text) => decodeURIComponent(text));
}

function broken(why: string): Problem {
  return new Problem('bad_request', `The body cannot be read: ${why}.`);
}
