import { createRoute, z } from '@hono/zod-openapi';
import { markOlder } from './deprecation.ts';
import { given } from './given.ts';
import { readMessages } from './messages.ts';
import { answers, apiRouter, creates, jsonBody } from './route.ts';
import { Id, MessageInput, PageQuery, pageOf, Thread, ThreadId } from './schemas.ts';
import { threadView } from './views.ts';

const params = z.object({ thread: ThreadId });
const tags = ['threads'];

const list = createRoute({
  method: 'get',
  path: '/threads',
  tags,
  summary: 'Conversations, last changed first',
  request: {
    query: PageQuery.extend({ deleted: z.enum(['true', 'false']).optional(), tag: z.string().max(200).optional() }),
  },
  responses: answers(pageOf(Thread)),
});

const create = createRoute({
  method: 'post',
  path: '/threads',
  tags,
  summary: 'A conversation that ends at a node, or that begins with messages',
  request: {
    body: jsonBody(
      z
        .object({
          head: Id.optional(),
          messages: z.array(MessageInput).max(10_000).optional(),
          title: z.string().max(500).optional(),
        })
        .strict(),
    ),
  },
  responses: creates(Thread),
});

const get = createRoute({
  method: 'get',
  path: '/threads/{thread}',
  tags,
  summary: 'One conversation',
  request: { params },
  responses: answers(Thread),
});

const change = createRoute({
  method: 'patch',
  path: '/threads/{thread}',
  tags,
  summary: 'Title, head, tags, note, rating',
  request: {
    params,
    body: jsonBody(
      z
        .object({
          title: z.string().max(500).optional(),
          head: Id.optional(),
          tags: z.record(z.string().min(1).max(100), z.boolean()).optional(),
          note: z.string().max(100_000).nullable().optional(),
          rating: z.number().min(-5).max(5).nullable().optional(),
        })
        .strict(),
    ),
  },
  responses: answers(Thread),
});

const fork = createRoute({
  method: 'post',
  path: '/threads/{thread}/fork',
  tags,
  summary: 'A conversation of its own that shares the history up to a node',
  request: {
    params,
    body: jsonBody(z.object({ at: Id.optional(), title: z.string().max(500).optional() }).strict()),
  },
  responses: creates(Thread),
});

const remove = createRoute({
  method: 'delete',
  path: '/threads/{thread}',
  tags,
  summary: 'Takes it from the lists; undo with restore',
  request: { params },
  responses: answers(Thread),
});

const restore = createRoute({
  method: 'post',
  path: '/threads/{thread}/restore',
  tags,
  summary: 'Brings it back',
  request: { params },
  responses: answers(Thread),
});

export const threads = apiRouter()
  .openapi(list, async (c) => {
    const { forest, redact } = c.var.services;
    const { deleted, ...query } = c.req.valid('query');
    const page = await forest.threads.list({ ...given(query), deleted: deleted === 'true' });
    return c.json(redact({ ...page, items: page.items.map(threadView) }), 200);
  })
  .openapi(create, async (c) => {
    const { forest } = c.var.services;
    const { head = 'root', title } = c.req.valid('json');
    const read = readMessages(await c.req.text());
    markOlder(c, read.older);
    const end = await forest.append(head, read.messages);
    return c.json(threadView(await forest.threads.create({ head: end, ...given({ title }) })), 201);
  })
  .openapi(get, async (c) =>
    c.json(threadView(await c.var.services.forest.threads.get(c.req.valid('param').thread)), 200),
  )
  .openapi(change, async (c) => {
    const { threads: of } = c.var.services.forest;
    const { thread } = c.req.valid('param');
    const { title, head, tags: given, note, rating } = c.req.valid('json');
    await of.get(thread);
    if (head !== undefined) await of.moveHead(thread, head);
    if (title !== undefined) await of.rename(thread, title);
    if (given !== undefined) await of.tag(thread, given);
    if (note !== undefined) await of.note(thread, note);
    if (rating !== undefined) await of.rate(thread, rating);
    return c.json(threadView(await of.get(thread)), 200);
  })
  .openapi(fork, async (c) => {
    const { at, title } = c.req.valid('json');
    const { thread } = c.req.valid('param');
    const made = await c.var.services.forest.threads.fork(thread, given({ at, title }));
    return c.json(threadView(made), 201);
  })
  .openapi(remove, async (c) => {
    const { threads: of } = c.var.services.forest;
    const { thread } = c.req.valid('param');
    await of.delete(thread);
    return c.json(threadView(await of.get(thread)), 200);
  })
  .openapi(restore, async (c) =>
    c.json(threadView(await c.var.services.forest.threads.restore(c.req.valid('param').thread)), 200),
  );
