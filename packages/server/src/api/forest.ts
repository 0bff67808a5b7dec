import { createRoute, z } from '@hono/zod-openapi';
import { type Forest, followChanges, type TopologyNode, type UsageScope } from '@skein/forest';
import { Problem } from '../http/problem.ts';
import { type SseMessage, sseResponse } from '../http/sse.ts';
import { textStream } from '../http/text-stream.ts';
import { answers, apiRouter, given, streams } from './router.ts';
import { Id, Node, PageQuery, pageSchema, SessionQuery, ThreadId, Usage } from './schemas/forest.ts';
import { nodeViews } from './views.ts';

const tags = ['forest'];

const topology = createRoute({
  method: 'get',
  path: '/topology',
  tags,
  summary: 'Structure without content, parents before their children',
  request: { query: PageQuery.extend({ below: Id.optional() }) },
  responses: answers(
    pageSchema(
      z.object({
        id: z.string(),
        parent: z.string(),
        depth: z.number(),
        role: z.string(),
        at: z.number(),
        removed: z.boolean(),
        model: z.string().optional(),
        provider: z.string().optional(),
      }),
    ),
  ),
});

const outline = createRoute({
  method: 'get',
  path: '/outline',
  tags,
  summary: 'Structure of the whole forest, as lines of JSON that are columns of many nodes each',
  responses: streams(
    'application/x-ndjson',
    'Each line has `ids`, `parents` (the place of the parent among all nodes so far, -1 for the root), `roles`, `at`, and `authors`: the place in the list of all `names` so far, each a model and its provider, -1 for none',
  ),
});

const search = createRoute({
  method: 'get',
  path: '/search',
  tags,
  summary: 'All nodes whose text has these words, best first',
  request: {
    query: PageQuery.extend({
      q: z.string().max(1000).default('').openapi({ description: 'May be left out with `tool` and `file`' }),
      role: z.enum(['system', 'user', 'assistant', 'tool']).optional(),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
      below: Id.optional(),
      model: z.string().max(200).optional(),
      tag: z.string().max(100).optional(),
      tool: z.string().max(200).optional().openapi({ description: 'Only calls of this tool' }),
      file: z.string().max(1000).optional().openapi({ description: 'Only calls that read or change this file' }),
      ...SessionQuery,
    }),
  },
  responses: answers(
    pageSchema(
      z.object({
        node: z.string(),
        role: z.string(),
        at: z.number(),
        model: z.string().optional(),
        provider: z.string().optional(),
        thread: z.string().optional().openapi({ description: 'The conversation that it was written in' }),
        title: z.string().optional(),
        score: z.number(),
        snippet: z.string(),
        marks: z.array(z.array(z.number())),
      }),
    ),
  ),
});

const usage = createRoute({
  method: 'get',
  path: '/usage',
  tags,
  summary:
    'What a node, a path, a subtree, a thread or a time cost; with `path` and `thread`, what that thread paid on the path',
  request: {
    query: z.object({
      node: Id.optional(),
      path: Id.optional(),
      below: Id.optional(),
      thread: ThreadId.optional(),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
    }),
  },
  responses: answers(
    z.object({ usage: Usage, cost: z.number().nullable(), withoutPrice: z.number(), replies: z.number() }),
  ),
});

const diff = createRoute({
  method: 'get',
  path: '/diff',
  tags,
  summary: 'Where two paths part, and what follows in each',
  request: { query: z.object({ a: Id, b: Id }) },
  responses: answers(z.object({ shared: z.string(), sharedLength: z.number(), a: z.array(Node), b: z.array(Node) })),
});

const feed = createRoute({
  method: 'get',
  path: '/changes',
  tags: ['forest'],
  summary: 'Everything that changes in the forest, whoever writes it, as server-sent events',
  request: { query: z.object({ after: z.string().max(500).optional() }) },
  responses: streams('text/event-stream', 'Changes, until the client leaves'),
});

export const forestRoutes = apiRouter()
  .openapi(topology, async (c) => {
    const page = await c.var.services.forest.topology(given(c.req.valid('query')));
    return c.json({ ...page, items: [...page.items] }, 200);
  })
  .openapi(outline, async (c) => {
    const lines = outlineLines(c.var.services.forest);
    return new Response(textStream(await lines.next(), lines), { headers: { 'content-type': 'application/x-ndjson' } });
  })
  .openapi(search, async (c) => {
    const { forest, redact } = c.var.services;
    const { q, role, ...filters } = c.req.valid('query');
    const page = await forest.search(q, { ...given(filters), ...(role && { roles: [role] }) });
    const items = page.items.map((hit) => ({ ...hit, marks: hit.marks.map((mark) => [...mark]) }));
    return c.json(redact({ ...page, items }), 200);
  })
  .openapi(usage, async (c) => {
    const { node, path, below, thread, since, until } = c.req.valid('query');
    const { forest, costOf } = c.var.services;
    const sum = (of: UsageScope) => forest.usage(of, { costOf });
    if (node !== undefined) return c.json(await sum({ node }), 200);
    if (path !== undefined) return c.json(await sum({ path, ...given({ thread }) }), 200);
    if (below !== undefined) return c.json(await sum({ below }), 200);
    if (thread !== undefined) return c.json(await sum({ thread }), 200);
    if (since !== undefined) return c.json(await sum({ since, ...given({ until }) }), 200);
    throw new Problem('bad_request', 'Say of what: node, path, below, thread, or since.');
  })
  .openapi(diff, async (c) => {
    const { forest, redact } = c.var.services;
    const { a, b } = c.req.valid('query');
    const found = await forest.diff(a, b);
    return c.json({ ...found, a: nodeViews(found.a, redact), b: nodeViews(found.b, redact) }, 200);
  })
  .openapi(feed, async (c) => {
    const { forest, closing } = c.var.services;
    // Known before the answer begins: whatever is written from then on is told.
    const after = c.req.header('last-event-id') ?? c.req.valid('query').after ?? (await forest.changes()).next;
    return sseResponse(c, async function* (leaving): AsyncGenerator<SseMessage> {
      const either = AbortSignal.any([leaving, closing]);
      yield { id: after, event: 'start', data: {} };
      for await (const { items, next, reset } of followChanges(forest, after, either)) {
        if (reset) yield { id: next, event: 'reset', data: {} };
        if (items.length > 0) yield { id: next, event: 'changes', data: items };
      }
    });
  });

/** The nodes of a forest as columns. A parent is named by its place, so that each id is sent once. */
async function* outlineLines(forest: Forest): AsyncGenerator<string> {
  const places = new Map<string, number>();
  const authors = new Map<string, number>();
  for await (const nodes of forest.outline()) {
    const names: (readonly [string | null, string | null])[] = [];
    const authorOf = ({ model, provider }: TopologyNode) => {
      if (model === undefined && provider === undefined) return -1;
      const key = `${provider}/${model}`;
      const known = authors.get(key);
      if (known !== undefined) return known;
      names.push([model ?? null, provider ?? null]);
      authors.set(key, authors.size);
      return authors.size - 1;
    };
    const parents = nodes.map(({ id, parent }) => {
      places.set(id, places.size);
      return places.get(parent) ?? -1;
    });
    const line = {
      ids: nodes.map(({ id }) => id),
      parents,
      roles: nodes.map(({ role }) => role),
      at: nodes.map(({ at }) => at),
      authors: nodes.map(authorOf),
      names,
    };
    yield `${JSON.stringify(line)}\n`;
  }
}
