import { createRoute, z } from '@hono/zod-openapi';
import { toolName } from '@skein/forest';
import { given } from './given.ts';
import { answers, apiRouter } from './route.ts';
import { GroupId, Id, Node, PageQuery, pageOf, Thread, ThreadGroup, ThreadId } from './schemas.ts';
import { nodeViews, threadView } from './views.ts';

/** A conversation as a lineage: its own path, what its own requests had, and the row of a list that it belongs to. */

const params = z.object({ thread: ThreadId });
const tags = ['threads'];

const path = createRoute({
  method: 'get',
  path: '/threads/{thread}/path',
  tags,
  summary: 'Its messages, from the first one, or from behind a node, to its own head',
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
  summary: 'What its last reply at or above its head, or a node, was asked with. Going on sends the same',
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
  responses: answers(pageOf(ThreadGroup)),
});

const members = createRoute({
  method: 'get',
  path: '/groups/{group}/threads',
  tags,
  summary: 'The conversations of one row, last changed first',
  request: { params: z.object({ group: GroupId }), query: PageQuery },
  responses: answers(pageOf(Thread)),
});

export const lineages = apiRouter()
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
    const next = given({ next: generating.nextModel(found) });
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
