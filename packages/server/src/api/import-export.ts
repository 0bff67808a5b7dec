import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import { costOf } from '@skein/core/prices';
import {
  EXPORT_FORMATS,
  type ExportSelection,
  exportText,
  type ImportOptions,
  type ImportProgress,
  type ImportResult,
  importFile,
  importFormats,
} from '@skein/forest';
import type { Context } from 'hono';
import { Problem, problemBody, toProblem } from '../http/problem.ts';
import { type SseMessage, sseResponse } from '../http/sse.ts';
import { answers, apiRouter, given, streams } from './router.ts';
import { Id, ThreadId } from './schemas/forest.ts';

const tags = ['import and export'];
const dialect = z.string().max(100).optional();

const ImportedView = z.object({
  format: z.string(),
  threads: z.array(z.string()),
  elements: z.number(),
  messages: z.number(),
  added: z.number(),
  problems: z.array(z.object({ code: z.string(), where: z.string(), message: z.string() })),
  notes: z.array(z.string()).openapi({ description: 'What people should know, although nothing failed' }),
});

/** Formats of a single file: plug-ins may add some at any time. */
function uploadable(): string[] {
  return importFormats()
    .map(({ id }) => id)
    .filter((id) => id !== 'older');
}

const bring = createRoute({
  method: 'post',
  path: '/import',
  tags,
  summary: 'Imports conversations; importing twice has no further effect. Accept text/event-stream for progress',
  request: {
    query: z.object({
      // The older layout is a folder of the server, and no request may name one.
      format: z
        .string()
        .refine((name) => uploadable().includes(name), {
          error: () => `Not a format that can be imported here. Use one of ${uploadable().join(', ')}.`,
        })
        .openapi({ description: 'The name of an importer', example: uploadable()[0] })
        .optional(),
      dialect,
    }),
    body: { content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } } },
  },
  responses: answers(ImportedView),
});

const FOLDER = {
  type: 'object' as const,
  properties: { files: { type: 'array' as const, items: { type: 'string' as const, format: 'binary' } } },
};

const bringFolder = createRoute({
  method: 'post',
  path: '/import/folder',
  tags,
  summary: 'Brings a folder of the older layout: each file a part, its path from the folder as its filename',
  request: {
    // Described only: what is checked against a schema is read as a whole before.
    body: { content: { 'multipart/form-data': { schema: FOLDER } }, required: true },
  },
  responses: answers(ImportedView),
});

const take = createRoute({
  method: 'get',
  path: '/export',
  tags,
  summary: 'Conversations as text, piece by piece; segments lose nothing',
  request: {
    query: z.object({
      format: z.enum(EXPORT_FORMATS),
      dialect,
      tag: z.string().max(200).optional(),
      model: z.string().max(200).optional(),
      since: z.coerce
        .number()
        .optional()
        .openapi({ description: 'Milliseconds; the conversation ended then or later' }),
      until: z.coerce.number().optional().openapi({ description: 'Milliseconds; the conversation ended before' }),
      minRating: z.coerce.number().optional(),
      text: z.string().max(1000).optional().openapi({ description: 'A message contains it' }),
      minCost: z.coerce.number().optional().openapi({ description: 'US dollars of all answers' }),
      maxCost: z.coerce.number().optional(),
      branch: z.string().max(500).optional().openapi({ description: 'The branch of the repository of a session' }),
      threads: z.enum(['true']).optional().openapi({ description: 'Only where threads end' }),
      deduplicate: z.enum(['true']).optional(),
      redact: z.enum(['true']).optional().openapi({ description: 'Leaves out keys and tokens of known services' }),
      tools: z.enum(['false']).optional().openapi({ description: 'Leaves out the definitions of the tools' }),
      part: z.enum(['train', 'test']).optional().openapi({ description: 'One part of a split by `share` and `seed`' }),
      share: z.coerce.number().min(0).max(1).default(0.8),
      seed: z.string().max(200).default('0'),
      show: z
        .enum(['true'])
        .optional()
        .openapi({ description: 'With `html`: to be shown by the browser instead of saved' }),
      node: Id.optional(),
      path: Id.optional(),
      below: Id.optional(),
      thread: ThreadId.optional(),
    }),
  },
  responses: streams('text/plain', 'The text, until its end'),
});

export const moving = apiRouter()
  .openapi(bring, async (c) => {
    const { forest } = c.var.services;
    // A page from elsewhere may send texts and forms without asking; nothing else.
    if (!/^application\/(?!x-www-form-urlencoded)/i.test(c.req.header('content-type') ?? ''))
      throw new Problem('wrong_content_type', 'Send the file with the header content-type: application/octet-stream.');
    const source = requestBody(c);
    const options = given(c.req.valid('query'));
    return answerImport(c, (more) => importFile(forest, source, { ...options, ...more }));
  })
  .openapi(bringFolder, async (c) => {
    const { forest } = c.var.services;
    const files = readFileParts(c.req.header('content-type'), requestBody(c));
    return answerImport(c, (more) =>
      withUploadedFolder(files, (folder) => importFile(forest, folder, { format: 'older', ...more })),
    );
  })
  .openapi(take, async (c) => {
    const { forest, redact } = c.var.services;
    const { format, dialect: spoken, show, node, path, below, thread, ...choice } = c.req.valid('query');
    const [named] = Object.entries(given({ node, path, below, thread }));
    const { deduplicate, redact: removeKeys, tools, part, share, seed, threads, ...filters } = choice;
    const where = given({ ...filters, isThread: threads && true });
    if (format === 'segments' && (Object.keys(where).length > 0 || deduplicate || removeKeys || part))
      throw new Problem(
        'bad_request',
        'Segments are exact and complete: filters and a split are for the other formats.',
      );
    const pieces = exportText(forest, {
      format,
      ...given({ dialect: spoken }),
      ...(Object.keys(where).length > 0 && { where: { ...where, costOf } }),
      ...(deduplicate && { deduplicate: true }),
      ...(removeKeys && { removeKeys: true }),
      ...(tools && { tools: false }),
      ...(part && { split: { part, share, seed } }),
      ...(named && { of: { [named[0]]: named[1] } as unknown as ExportSelection }),
    });
    // What is wrong shows with the first piece, while the answer can still say so.
    const first = await pieces.next();
    const { type, ending } = FILES[format] ?? { type: 'application/x-ndjson', ending: 'jsonl' };
    const isShown = format === 'html' && show === 'true';
    return new Response(textStream(first, pieces, redact), {
      headers: {
        'content-type': type,
        ...(isShown
          ? { 'content-security-policy': SHOWN_POLICY }
          : { 'content-disposition': `attachment; filename="skein.${ending}"` }),
      },
    });
  });

const FILES: Readonly<Record<string, { readonly type: string; readonly ending: string }>> = {
  markdown: { type: 'text/markdown; charset=utf-8', ending: 'md' },
  html: { type: 'text/html; charset=utf-8', ending: 'html' },
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv' },
};

/** A shared page is shown under an origin of its own, where it could do nothing even if a script got into it. */
const SHOWN_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

function textStream(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
  redact: (text: string) => string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string> | undefined = first;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? (await rest.next());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(redact(value)));
    },
    async cancel() {
      await rest.return(undefined);
    },
  });
}

function requestBody(c: Context): AsyncIterable<Uint8Array> {
  const { body } = c.req.raw;
  if (!body) throw new Problem('bad_request', 'There is nothing to import: send it as the body.');
  return body as unknown as AsyncIterable<Uint8Array>;
}

/** What an import brought, or for whoever accepts events how far it is, too. */
async function answerImport(c: Context, work: (options: Pick<ImportOptions, 'onProgress'>) => Promise<ImportResult>) {
  if (c.req.header('accept')?.includes('text/event-stream'))
    return sseResponse(c, () => withProgress((onProgress) => work({ onProgress }))) as never;
  const { threads, problems, notes, ...imported } = await work({});
  return c.json({ ...imported, threads: [...threads], problems: [...problems], notes: [...notes] }, 200);
}

/** The latest count whenever the client takes one, and at last the result. */
async function* withProgress(
  work: (onProgress: (progress: ImportProgress) => void) => Promise<unknown>,
): AsyncGenerator<SseMessage> {
  let latest: ImportProgress | undefined;
  let wake = () => {};
  let end: SseMessage | undefined;
  const running = work((progress) => {
    latest = progress;
    wake();
  }).then(
    (data) => {
      end = { event: 'done', data };
    },
    (error: unknown) => {
      end = { event: 'failed', data: JSON.parse(problemBody(toProblem(error))) };
    },
  );
  while (!end) {
    const news = new Promise<void>((resolve) => {
      wake = resolve;
    });
    await Promise.race([running, news]);
    if (latest && !end) yield { event: 'progress', data: latest };
  }
  yield end;
}

const MAX_FILES = 100_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_SEGMENTS = 32;
const MAX_SEGMENT_BYTES = 255;
/** What the older layout has at its top. */
const ROOTS_FILE = 'roots.json';

/** Files as a folder that only this process may look into, for as long as `use` takes; then it is gone. */
async function withUploadedFolder<T>(files: AsyncIterable<FilePart>, use: (folder: string) => Promise<T>): Promise<T> {
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
async function* readFileParts(
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
