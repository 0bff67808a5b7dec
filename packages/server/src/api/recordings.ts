import { createRoute, z } from '@hono/zod-openapi';
import { type ListedExchange, listExchanges, oldestShown, readRecorded, type StatusClass } from '@skein/forest';
import { Problem } from '../http/problem.ts';
import { given } from './given.ts';
import { ExchangeId, Recording } from './recording-schema.ts';
import { answers, apiRouter } from './route.ts';
import { PageQuery, pageOf } from './schemas.ts';
import { type Spent, spentOn } from './spent.ts';

const tags = ['recordings'];

const Status = z
  .string()
  .regex(/^[1-5](\d\d|xx)$/)
  .openapi({ example: '4xx', description: 'A status, or a class of them' });

const list = createRoute({
  method: 'get',
  path: '/recordings',
  tags,
  summary: 'Recorded exchanges, oldest first unless `order` is newest, and where each landed',
  request: {
    query: PageQuery.extend({
      provider: z.string().max(100).optional(),
      status: Status.optional(),
      order: z.enum(['oldest', 'newest']).optional(),
      outcome: z.enum(['open', 'done', 'cut', 'refused', 'failed']).optional(),
      tag: z.string().max(100).optional(),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
    }),
  },
  responses: answers(pageOf(Recording)),
});

const Body = z
  .object({ text: z.string() })
  .or(z.object({ base64: z.string() }))
  .openapi({ description: 'The exact text, or bytes that are none' });

const get = createRoute({
  method: 'get',
  path: '/recordings/{recording}',
  tags,
  summary: 'One exchange with its exact request and answer',
  request: { params: z.object({ recording: ExchangeId }) },
  responses: answers(z.object({ recording: Recording, request: Body.optional(), response: Body })),
});

export const recordings = apiRouter()
  .openapi(list, async (c) => {
    const { forest, redact, config, costOf } = c.var.services;
    const { status, since, ...filters } = c.req.valid('query');
    const oldest = oldestShown(forest, config.retention);
    const from = oldest === undefined ? since : Math.max(since ?? 0, oldest);
    const page = await listExchanges(forest, {
      ...given({ ...filters, since: from }),
      ...(status && { status: statusOf(status) }),
    });
    const spent = await spentOn(forest, page.items, costOf);
    return c.json({ ...page, items: page.items.map((one) => redact(view(one, spent.get(one.id)))) }, 200);
  })
  .openapi(get, async (c) => {
    const { forest, redact, config, costOf } = c.var.services;
    const found = await readRecorded(forest, c.req.valid('param').recording);
    if (!found || found.exchange.start < (oldestShown(forest, config.retention) ?? 0))
      throw new Problem(404, 'unknown_exchange', 'There is no such recording.');
    const { exchange, request, response } = found;
    const bodies = { ...(request && { request: bodyOf(request) }), response: bodyOf(response) };
    const spent = (await spentOn(forest, [exchange], costOf)).get(exchange.id);
    return c.json(redact({ recording: view(exchange, spent), ...bodies }), 200);
  });

function statusOf(text: string): number | StatusClass {
  return text.endsWith('xx') ? (text as StatusClass) : Number(text);
}

function view(exchange: ListedExchange, spent: Spent | undefined): z.infer<typeof Recording> {
  return { ...exchange, ...spent };
}

function bodyOf(bytes: Uint8Array): z.infer<typeof Body> {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}
