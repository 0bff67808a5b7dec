import { z } from '@hono/zod-openapi';
import type { ImportOptions, ImportProgress, ImportResult } from '@skein/forest';
import type { Context } from 'hono';
import { Problem, problemBody, problemOf } from '../http/problem.ts';
import { type SseMessage, sseResponse } from '../http/sse.ts';

export const ImportedView = z.object({
  format: z.string(),
  threads: z.array(z.string()),
  elements: z.number(),
  messages: z.number(),
  added: z.number(),
  problems: z.array(z.object({ code: z.string(), where: z.string(), message: z.string() })),
});

export function bodyOf(c: Context): AsyncIterable<Uint8Array> {
  const { body } = c.req.raw;
  if (!body) throw new Problem(400, 'bad_request', 'There is nothing to import: send it as the body.');
  return body as unknown as AsyncIterable<Uint8Array>;
}

/** What an import brought, or for whoever accepts events how far it is, too. */
export async function answerImport(
  c: Context,
  work: (options: Pick<ImportOptions, 'onProgress'>) => Promise<ImportResult>,
) {
  if (c.req.header('accept')?.includes('text/event-stream'))
    return sseResponse(c, () => withProgress((onProgress) => work({ onProgress }))) as never;
  const { threads, problems, ...imported } = await work({});
  return c.json({ ...imported, threads: [...threads], problems: [...problems] }, 200);
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
      end = { event: 'failed', data: JSON.parse(problemBody(problemOf(error))) };
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
