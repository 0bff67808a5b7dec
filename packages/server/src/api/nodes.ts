import { createRoute, z } from '@hono/zod-openapi';
import { given } from './given.ts';
import { answers, apiRouter } from './route.ts';
import { Id, Node, PageQuery, pageOf } from './schemas.ts';
import { nodeView, nodeViews } from './views.ts';

const params = z.object({ node: Id });
const tags = ['nodes'];

const get = createRoute({
  method: 'get',
  path: '/nodes/{node}',
  tags,
  summary: 'One node; with ?raw its exact stored text',
  request: { params, query: z.object({ raw: z.string().optional() }) },
  responses: answers(Node),
});

const path = createRoute({
  method: 'get',
  path: '/nodes/{node}/path',
  tags,
  summary: 'From the first message, or from behind a node, to this one',
  request: { params, query: z.object({ from: Id.optional() }) },
  responses: answers(z.object({ items: z.array(Node) })),
});

const lists = (name: 'children' | 'leaves' | 'descendants', summary: string) =>
  createRoute({
    method: 'get',
    path: `/nodes/{node}/${name}`,
    tags,
    summary,
    request: { params, query: PageQuery },
    responses: answers(pageOf(Node)),
  });

const children = lists('children', 'Its children, oldest first');
const leaves = lists('leaves', 'Where the branches below it end');
const descendants = lists('descendants', 'Everything below it');

const siblings = createRoute({
  method: 'get',
  path: '/nodes/{node}/siblings',
  tags,
  summary: 'All children of its parent, itself included',
  request: { params },
  responses: answers(z.object({ items: z.array(Node) })),
});

export const nodes = apiRouter()
  .openapi(get, async (c) => {
    const { forest, redact } = c.var.services;
    const node = await forest.node(c.req.valid('param').node);
    const { raw } = c.req.valid('query');
    // The text behind an id never changes; what is said about it may.
    if (raw === undefined) return c.json(nodeView(node, redact), 200);
    const etag = `"${node.id}"`;
    if (c.req.header('if-none-match') === etag) return c.body(null, 304) as never;
    return c.body(redact(node.message.raw), 200, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, max-age=31536000, immutable',
      etag,
    }) as never;
  })
  .openapi(path, async (c) => {
    const { forest, redact } = c.var.services;
    const { from } = c.req.valid('query');
    const found = await forest.path(c.req.valid('param').node, from);
    return c.json({ items: nodeViews(found, redact) }, 200);
  })
  .openapi(children, async (c) => {
    const { forest, redact } = c.var.services;
    const page = await forest.children(c.req.valid('param').node, given(c.req.valid('query')));
    return c.json({ ...page, items: nodeViews(page.items, redact) }, 200);
  })
  .openapi(leaves, async (c) => {
    const { forest, redact } = c.var.services;
    const page = await forest.leaves(c.req.valid('param').node, given(c.req.valid('query')));
    return c.json({ ...page, items: nodeViews(page.items, redact) }, 200);
  })
  .openapi(descendants, async (c) => {
    const { forest, redact } = c.var.services;
    const page = await forest.descendants(c.req.valid('param').node, given(c.req.valid('query')));
    return c.json({ ...page, items: nodeViews(page.items, redact) }, 200);
  })
  .openapi(siblings, async (c) => {
    const { forest, redact } = c.var.services;
    const found = await forest.siblings(c.req.valid('param').node);
    return c.json({ items: nodeViews(found, redact) }, 200);
  });
