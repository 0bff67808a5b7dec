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
import { textStream } from '../http/text-stream.ts';
import { readFileParts, withUploadedFolder } from '../http/uploaded-folder.ts';
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
