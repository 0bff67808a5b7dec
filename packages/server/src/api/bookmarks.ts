import { createRoute, z } from '@hono/zod-openapi';
import { answers, apiRouter, creates, given, jsonBody } from './router.ts';
import { Bookmark, Id, Name, PageQuery, pageSchema } from './schemas/forest.ts';

const params = z.object({ bookmark: Name });
const tags = ['bookmarks'];
const title = z.string().max(500);

const list = createRoute({
  method: 'get',
  path: '/bookmarks',
  tags,
  summary: 'Bookmarked nodes',
  request: { query: PageQuery },
  responses: answers(pageSchema(Bookmark)),
});

const add = createRoute({
  method: 'post',
  path: '/bookmarks',
  tags,
  summary: 'Bookmarks a node; what leads to it cannot be removed',
  request: { body: jsonBody(z.object({ node: Id, title: title.optional() }).strict()) },
  responses: creates(Bookmark),
});

const rename = createRoute({
  method: 'patch',
  path: '/bookmarks/{bookmark}',
  tags,
  summary: 'Another title',
  request: { params, body: jsonBody(z.object({ title }).strict()) },
  responses: answers(Bookmark),
});

const remove = createRoute({
  method: 'delete',
  path: '/bookmarks/{bookmark}',
  tags,
  summary: 'Takes a bookmark away',
  request: { params },
  responses: answers(z.object({ removed: z.string() })),
});

export const bookmarks = apiRouter()
  .openapi(list, async (c) => {
    const { forest, redact } = c.var.services;
    const page = await forest.bookmarks.list(given(c.req.valid('query')));
    return c.json(redact({ ...page, items: [...page.items] }), 200);
  })
  .openapi(add, async (c) => {
    const { node, title: wanted } = c.req.valid('json');
    return c.json(await c.var.services.forest.bookmarks.add(node, wanted), 201);
  })
  .openapi(rename, async (c) => {
    const { bookmark } = c.req.valid('param');
    return c.json(await c.var.services.forest.bookmarks.rename(bookmark, c.req.valid('json').title), 200);
  })
  .openapi(remove, async (c) => {
    const { bookmark } = c.req.valid('param');
    await c.var.services.forest.bookmarks.remove(bookmark);
    return c.json({ removed: bookmark }, 200);
  });
