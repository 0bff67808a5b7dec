import { createRoute, z } from '@hono/zod-openapi';
import { markOlder, readMessages } from './messages.ts';
import { answers, apiRouter, creates, given, jsonBody } from './router.ts';
import { Bookmark, Id, MessageInput, Name, Node, PageQuery, pageSchema, ThreadId } from './schemas/forest.ts';
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
  summary: 'From the first message, or from after a node, to this one',
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
    responses: answers(pageSchema(Node)),
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

/** A node that was written into a conversation, and which one that was. */
const Written = Node.extend({
  thread: z
    .string()
    .optional()
    .openapi({ description: 'Where a conversation was named: it, or the fork of it where it was recorded' }),
}).openapi('Written');

const append = createRoute({
  method: 'post',
  path: '/nodes/{node}/messages',
  tags,
  summary: 'Appends messages; existing ones are reused',
  request: {
    params,
    body: jsonBody(
      z.object({ messages: z.array(MessageInput).min(1).max(10_000), thread: ThreadId.optional() }).strict(),
    ),
  },
  responses: creates(Written),
});

const Moved = z.object({ moved: z.record(z.string(), z.string()) });

const edit = createRoute({
  method: 'post',
  path: '/nodes/{node}/edit',
  tags,
  summary: 'A sibling with another text; the old one stays. With `carry`, the messages up to that node come along',
  request: {
    params,
    body: jsonBody(
      z.object({ text: z.string().max(5_000_000), carry: Id.optional(), thread: ThreadId.optional() }).strict(),
    ),
  },
  responses: creates(Written),
});

const split = createRoute({
  method: 'post',
  path: '/nodes/{node}/split',
  tags,
  summary: 'Splits a node at a position of its text',
  request: { params, body: jsonBody(z.object({ at: z.number().int().min(0) }).strict()) },
  responses: answers(Moved.extend({ first: z.string(), second: z.string() })),
});

const remove = createRoute({
  method: 'delete',
  path: '/nodes/{node}',
  tags,
  summary: 'Removes it with everything below, or moves its children to its parent; undo with restore',
  request: { params, query: z.object({ keepChildren: z.enum(['true', 'false']).optional() }) },
  responses: answers(Moved),
});

const restore = createRoute({
  method: 'post',
  path: '/nodes/{node}/restore',
  tags,
  summary: 'Brings a removed node back',
  request: { params },
  responses: answers(Node),
});

const graft = createRoute({
  method: 'post',
  path: '/nodes/{node}/graft',
  tags,
  summary: 'Moves it and everything below to another node',
  request: { params, body: jsonBody(z.object({ onto: Id }).strict()) },
  responses: answers(Moved),
});

const mark = createRoute({
  method: 'patch',
  path: '/nodes/{node}',
  tags,
  summary: 'Tags, note, rating',
  request: {
    params,
    body: jsonBody(
      z
        .object({
          tags: z.record(z.string().min(1).max(100), z.boolean()).optional(),
          note: z.string().max(100_000).nullable().optional(),
          rating: z.number().min(-5).max(5).nullable().optional(),
        })
        .strict(),
    ),
  },
  responses: answers(Node),
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
  })
  .openapi(append, async (c) => {
    const { forest, redact } = c.var.services;
    const { thread } = c.req.valid('json');
    const { messages, older } = readMessages(await c.req.text());
    markOlder(c, older);
    const at = c.req.valid('param').node;
    if (thread === undefined) {
      const head = await forest.append(at, messages);
      return c.json(nodeView(await forest.node(head), redact), 201);
    }
    const { id, head } = await forest.threads.append(thread, messages, { at });
    return c.json({ ...nodeView(await forest.node(head), redact), thread: id }, 201);
  })
  .openapi(edit, async (c) => {
    const { forest, redact } = c.var.services;
    const { text, carry, thread } = c.req.valid('json');
    if (thread !== undefined) await forest.threads.get(thread);
    const id = await forest.edit(c.req.valid('param').node, text, given({ carry }));
    const made = nodeView(await forest.node(id), redact);
    if (thread === undefined) return c.json(made, 201);
    const owner = await forest.threads.writable(thread, { at: id });
    if (owner.head !== id) await forest.threads.moveHead(owner.id, id);
    return c.json({ ...made, thread: owner.id }, 201);
  })
  .openapi(split, async (c) => {
    const { first, second, moved } = await c.var.services.forest.split(
      c.req.valid('param').node,
      c.req.valid('json').at,
    );
    return c.json({ first, second, moved: Object.fromEntries(moved) }, 200);
  })
  .openapi(remove, async (c) => {
    const keepChildren = c.req.valid('query').keepChildren === 'true';
    const { moved } = await c.var.services.forest.remove(c.req.valid('param').node, { keepChildren });
    return c.json({ moved: Object.fromEntries(moved) }, 200);
  })
  .openapi(restore, async (c) => {
    const { forest, redact } = c.var.services;
    const { node } = c.req.valid('param');
    await forest.restore(node);
    return c.json(nodeView(await forest.node(node), redact), 200);
  })
  .openapi(graft, async (c) => {
    const { moved } = await c.var.services.forest.graft(c.req.valid('param').node, c.req.valid('json').onto);
    return c.json({ moved: Object.fromEntries(moved) }, 200);
  })
  .openapi(mark, async (c) => {
    const { forest, redact } = c.var.services;
    const { node } = c.req.valid('param');
    const { tags: wanted, note, rating } = c.req.valid('json');
    if (wanted !== undefined) await forest.tag(node, wanted);
    if (note !== undefined) await forest.note(node, note);
    if (rating !== undefined) await forest.rate(node, rating);
    return c.json(nodeView(await forest.node(node), redact), 200);
  });

const bookmarkParams = z.object({ bookmark: Name });
const bookmarkTitle = z.string().max(500);

const listBookmarks = createRoute({
  method: 'get',
  path: '/bookmarks',
  tags: ['bookmarks'],
  summary: 'Bookmarked nodes',
  request: { query: PageQuery },
  responses: answers(pageSchema(Bookmark)),
});

const addBookmark = createRoute({
  method: 'post',
  path: '/bookmarks',
  tags: ['bookmarks'],
  summary: 'Bookmarks a node; what leads to it cannot be removed',
  request: { body: jsonBody(z.object({ node: Id, title: bookmarkTitle.optional() }).strict()) },
  responses: creates(Bookmark),
});

const renameBookmark = createRoute({
  method: 'patch',
  path: '/bookmarks/{bookmark}',
  tags: ['bookmarks'],
  summary: 'Another title',
  request: { params: bookmarkParams, body: jsonBody(z.object({ title: bookmarkTitle }).strict()) },
  responses: answers(Bookmark),
});

const removeBookmark = createRoute({
  method: 'delete',
  path: '/bookmarks/{bookmark}',
  tags: ['bookmarks'],
  summary: 'Takes a bookmark away',
  request: { params: bookmarkParams },
  responses: answers(z.object({ removed: z.string() })),
});

export const bookmarks = apiRouter()
  .openapi(listBookmarks, async (c) => {
    const { forest, redact } = c.var.services;
    const page = await forest.bookmarks.list(given(c.req.valid('query')));
    return c.json(redact({ ...page, items: [...page.items] }), 200);
  })
  .openapi(addBookmark, async (c) => {
    const { node, title: wanted } = c.req.valid('json');
    return c.json(await c.var.services.forest.bookmarks.add(node, wanted), 201);
  })
  .openapi(renameBookmark, async (c) => {
    const { bookmark } = c.req.valid('param');
    return c.json(await c.var.services.forest.bookmarks.rename(bookmark, c.req.valid('json').title), 200);
  })
  .openapi(removeBookmark, async (c) => {
    const { bookmark } = c.req.valid('param');
    await c.var.services.forest.bookmarks.remove(bookmark);
    return c.json({ removed: bookmark }, 200);
  });
