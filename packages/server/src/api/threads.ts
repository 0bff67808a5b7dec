import { createRoute, z } from '@hono/zod-openapi';
import { toolName } from '@skein/forest';
import { markOlder, readMessages } from './messages.ts';
import { answers, apiRouter, creates, given, jsonBody } from './router.ts';
import {
  GroupId,
  Id,
  MessageInput,
  Node,
  PageQuery,
  pageSchema,
  SessionQuery,
  Thread,
  ThreadGroup,
  ThreadId,
} from './schemas/forest.ts';
import { nodeView, nodeViews, threadView } from './views.ts';

const params = z.object({ thread: ThreadId });
const tags = ['threads'];

const list = createRoute({
  method: 'get',
  path: '/threads',
  tags,
  summary: 'Conversations, last changed first',
  request: {
    query: PageQuery.extend({
      deleted: z.enum(['true', 'false']).optional(),
      tag: z.string().max(200).optional(),
      ...SessionQuery,
    }),
  },
  responses: answers(pageSchema(Thread)),
});

const create = createRoute({
  method: 'post',
  path: '/threads',
  tags,
  summary: 'Begins a conversation with messages, at the root or below a node. It is always a thread of its own',
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
  summary: 'One conversation, and those it was forked from',
  request: { params },
  responses: answers(
    Thread.extend({
      lineage: z.array(z.string()).openapi({ description: 'Itself and those it was forked from, nearest first' }),
    }),
  ),
});

const append = createRoute({
  method: 'post',
  path: '/threads/{thread}/messages',
  tags,
  summary: 'Messages at its head, or below a node of it. A recorded conversation is forked first',
  request: {
    params,
    body: jsonBody(z.object({ messages: z.array(MessageInput).min(1).max(10_000), at: Id.optional() }).strict()),
  },
  responses: creates(
    z.object({
      thread: Thread.openapi({ description: 'The conversation that they became part of: this one, or its fork' }),
      node: Node.openapi({ description: 'The last of them' }),
    }),
  ),
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

const path = createRoute({
  method: 'get',
  path: '/threads/{thread}/path',
  tags,
  summary: 'Its messages, from the first one, or from after a node, to its own head',
  request: { params, query: z.object({ from: Id.optional() }) },
  responses: answers(z.object({ thread: Thread, items: z.array(Node) })),
});

const TextChange = z.object({ before: z.string(), after: z.string() });

const ContextChange = z
  .object({
    node: z.string().openapi({ description: 'The reply to the request that had another context' }),
    system: TextChange.optional(),
    tools: TextChange.optional().openapi({ description: 'As JSON' }),
    compacted: z
      .object({ messages: z.number(), replacement: z.string() })
      .optional()
      .openapi({ description: 'How many messages at the front were left out, and what was sent in their place' }),
  })
  .openapi('ContextChange');

const changes = createRoute({
  method: 'get',
  path: '/threads/{thread}/context-changes',
  tags,
  summary: 'Where its system text, its tools or the sent history changed, up to its head or to a node',
  request: { params, query: z.object({ to: Id.optional() }) },
  responses: answers(z.object({ items: z.array(ContextChange) })),
});

const last = createRoute({
  method: 'get',
  path: '/threads/{thread}/last-request',
  tags,
  summary: 'The request of its last reply at or above its head, or a node; continuing sends the same',
  request: { params, query: z.object({ at: Id.optional() }) },
  responses: answers(
    z.object({
      last: z
        .object({
          provider: z.string().optional(),
          model: z.string().optional(),
          params: z.looseObject({}).optional(),
          tools: z.array(z.string()).openapi({ description: 'Their names' }),
        })
        .optional()
        .openapi({ description: 'Absent where no model has answered yet' }),
      next: z.string().optional().openapi({
        description:
          'provider/model that is asked where a request names none: the last one, or the default without its key',
      }),
    }),
  ),
});

const groups = createRoute({
  method: 'get',
  path: '/groups',
  tags,
  summary: 'Conversations as rows, last changed first: sessions, equal openings and side calls are one row each',
  request: { query: PageQuery },
  responses: answers(pageSchema(ThreadGroup)),
});

const members = createRoute({
  method: 'get',
  path: '/groups/{group}/threads',
  tags,
  summary: 'The conversations of one row, last changed first',
  request: { params: z.object({ group: GroupId }), query: PageQuery },
  responses: answers(pageSchema(Thread)),
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
    return c.json(threadView(await forest.threads.begin(read.messages, { below: head, ...given({ title }) })), 201);
  })
  .openapi(get, async (c) => {
    const { threads: of } = c.var.services.forest;
    const { thread } = c.req.valid('param');
    const [found, lineage] = await Promise.all([of.get(thread), of.lineage(thread)]);
    return c.json({ ...threadView(found), lineage: [...lineage] }, 200);
  })
  .openapi(append, async (c) => {
    const { forest, redact } = c.var.services;
    const { at } = c.req.valid('json');
    const { messages, older } = readMessages(await c.req.text());
    markOlder(c, older);
    const thread = await forest.threads.append(c.req.valid('param').thread, messages, given({ at }));
    const node = nodeView(await forest.node(thread.head), redact);
    return c.json({ thread: threadView(thread), node }, 201);
  })
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
  )
  .openapi(path, async (c) => {
    const { forest, redact } = c.var.services;
    const { from } = c.req.valid('query');
    const thread = await forest.threads.get(c.req.valid('param').thread);
    const items = nodeViews(await forest.path(thread.head, from), redact);
    return c.json({ thread: redact(threadView(thread)), items }, 200);
  })
  .openapi(changes, async (c) => {
    const { forest, redact } = c.var.services;
    const found = await forest.contextChanges(c.req.valid('param').thread, given(c.req.valid('query')));
    return c.json({ items: redact(found.map((one) => ({ ...one }))) }, 200);
  })
  .openapi(last, async (c) => {
    const { engine, generating } = c.var.services;
    const found = await engine.lastRequest(c.req.valid('param').thread, given(c.req.valid('query')));
    const next = given({ next: await generating.nextModel(found) });
    if (!found) return c.json(next, 200);
    const { tools, params: asked, ...model } = found;
    const names = tools.flatMap((tool) => toolName(tool) ?? []);
    return c.json({ last: { ...model, ...(asked && { params: { ...asked } }), tools: names }, ...next }, 200);
  })
  .openapi(groups, async (c) => {
    const { forest, redact } = c.var.services;
    const page = await forest.threads.groups(given(c.req.valid('query')));
    const items = page.items.map((row) => ({
      ...row,
      thread: threadView(row.thread),
      threads: row.threads.map(threadView),
    }));
    return c.json(redact({ ...page, items }), 200);
  })
  .openapi(members, async (c) => {
    const { forest, redact } = c.var.services;
    const page = await forest.threads.inGroup(c.req.valid('param').group, given(c.req.valid('query')));
    return c.json(redact({ ...page, items: page.items.map(threadView) }), 200);
  });
