import { createRoute, z } from '@hono/zod-openapi';
import type { PrefixDifference } from '@skein/core';
import type { Forest, GenerationState } from '@skein/forest';
import { Problem } from '../http/problem.ts';
import { sseResponse } from '../http/sse.ts';
import { accepts, answers, apiRouter, given, jsonBody, streams } from './router.ts';
import { GenerationRequest, Id, Name, PageQuery, pageSchema, ThreadId } from './schemas/forest.ts';
import { DescribedLoss, Generation, GenerationEvent } from './schemas/generation.ts';
import { lossView } from './views.ts';

const params = z.object({ generation: Name });
const tags = ['generations'];

const start = createRoute({
  method: 'post',
  path: '/generations',
  tags,
  summary: 'Lets a model answer below a node, or at the head of a conversation; returns at once',
  request: {
    body: jsonBody(
      GenerationRequest.extend({
        node: Id.optional().openapi({ description: 'Default: the head of the conversation' }),
        n: z.number().int().min(1).max(20).optional(),
        again: z.boolean().optional(),
        thread: ThreadId.optional().openapi({
          description:
            'What is not given is as in its last request, and its head moves to the first answer. A recorded one is forked first: the generation names the fork.',
        }),
      }).strict(),
    ),
  },
  responses: accepts(Generation),
});

const list = createRoute({
  method: 'get',
  path: '/generations',
  tags,
  summary: 'Generations, of one node or of all, oldest first; with `thread`, those of each page that belong to it',
  request: { query: PageQuery.extend({ node: Id.optional(), thread: ThreadId.optional() }) },
  responses: answers(pageSchema(Generation)),
});

const get = createRoute({
  method: 'get',
  path: '/generations/{generation}',
  tags,
  summary: 'How far a generation is',
  request: { params },
  responses: answers(Generation),
});

const events = createRoute({
  method: 'get',
  path: '/generations/{generation}/events',
  tags,
  summary: 'Its events, as server-sent events; with Last-Event-ID, continues after that event',
  request: { params, query: z.object({ after: z.string().max(20).optional() }) },
  responses: streams(
    'text/event-stream',
    'Events until the generation ends; each `data` is one of these',
    GenerationEvent,
  ),
});

const stop = createRoute({
  method: 'post',
  path: '/generations/{generation}/stop',
  tags,
  summary: 'Ends it; what arrived is kept',
  request: { params },
  responses: answers(Generation),
});

const resume = createRoute({
  method: 'post',
  path: '/generations/{generation}/resume',
  tags,
  summary: 'Resumes a generation that failed, was stopped or waits; approvals say what may run',
  request: {
    params,
    body: jsonBody(
      z
        .object({
          model: z.string().max(300).optional(),
          approvals: z
            .record(
              z.string(),
              z.union([
                z.literal('approve'),
                z.object({ deny: z.string().max(1000) }).strict(),
                z
                  .object({ result: z.string().max(5_000_000) })
                  .strict()
                  .openapi({ description: 'What the tool gave, where it runs elsewhere' }),
              ]),
            )
            .optional(),
        })
        .strict(),
    ),
  },
  responses: accepts(Generation),
});

export const generations = apiRouter()
  .openapi(start, async (c) => {
    const { engine, forest, generating } = c.var.services;
    const { node, thread: name, n, again, ...wish } = c.req.valid('json');
    const at = node ?? (await readHead(forest, name));
    const options = await generating.options(given(wish), name === undefined ? undefined : { thread: name, at });
    // Last, so that what is refused leaves no fork behind.
    const thread = name === undefined ? undefined : (await forest.threads.writable(name, { at })).id;
    const generation = await engine.generate(at, { ...options, ...given({ n, again, thread }) });
    return c.json(view(await engine.get(generation.id)), 202);
  })
  .openapi(list, async (c) => {
    const { thread, ...query } = c.req.valid('query');
    const page = await c.var.services.engine.list(given(query));
    const items = page.items.filter((state) => thread === undefined || state.thread === thread);
    return c.json({ ...page, items: items.map(view) }, 200);
  })
  .openapi(get, async (c) => c.json(view(await c.var.services.engine.get(c.req.valid('param').generation)), 200))
  .openapi(events, async (c) => {
    const { engine, redact } = c.var.services;
    const { generation } = c.req.valid('param');
    await engine.get(generation);
    const after = c.req.header('last-event-id') ?? c.req.valid('query').after;
    const told = engine.follow(generation, after);
    return sseResponse(c, async function* () {
      for await (const { id, branch, event } of told)
        yield { id, event: event.type, data: redact({ branch, ...event }) };
    });
  })
  .openapi(stop, async (c) => {
    const { engine } = c.var.services;
    const { generation } = c.req.valid('param');
    await engine.stop(generation);
    return c.json(view(await engine.get(generation)), 200);
  })
  .openapi(resume, async (c) => {
    const { engine, generating } = c.var.services;
    const { generation: id } = c.req.valid('param');
    const { model, approvals } = c.req.valid('json');
    const state = await engine.get(id);
    const options = await generating.again(state, model);
    await engine.resume(id, { ...options, ...given({ approvals }) });
    return c.json(view(await engine.get(id)), 202);
  });

async function readHead({ threads }: Forest, thread: string | undefined): Promise<string> {
  if (thread === undefined)
    throw new Problem('bad_request', 'Say where: "node", or "thread" to continue from its head.');
  return (await threads.get(thread)).head;
}

function view({ params: asked, branches, tools, ...state }: GenerationState): z.infer<typeof Generation> {
  return {
    ...state,
    tools: [...tools],
    branches: branches.map(({ pending, stop: ended, error, ...branch }) => ({
      ...branch,
      ...(pending && { pending: [...pending] }),
      ...(ended && { stop: { ...ended } }),
      ...(error && { error }),
    })),
    ...(asked && { params: { ...asked } }),
  };
}

const nodeParams = z.object({ node: Id });

const Parts = z
  .object({
    part: z.enum(['system', 'tools', 'messages']),
    index: z.number(),
    before: z.string().optional(),
    after: z.string().optional(),
  })
  .openapi('Parts', { description: 'Where a request parts from the one before it on the path' });

const sent = createRoute({
  method: 'get',
  path: '/nodes/{node}/request',
  tags: ['nodes'],
  summary: 'The exact request that it answers; of several conversations, that of `thread`',
  request: {
    params: nodeParams,
    query: z.object({
      thread: ThreadId.optional(),
      stateless: z.enum(['true', 'false']).optional().openapi({
        description: 'Rebuild a request whose history the API kept as one that brings all of it',
      }),
    }),
  },
  responses: answers(
    z.object({
      body: z.string(),
      sha256: z.string(),
      dialect: z.string(),
      model: z.string(),
      provider: z.string().optional(),
      url: z.string().optional().openapi({ description: 'Host and path, where the exchange was recorded' }),
      losses: z.array(DescribedLoss).optional(),
      parts: Parts.optional(),
    }),
  ),
});

const preview = createRoute({
  method: 'post',
  path: '/nodes/{node}/preview',
  tags: ['nodes'],
  summary: 'The exact request that would be sent below it; nothing is sent, and nothing is stored',
  request: {
    params: nodeParams,
    body: jsonBody(
      GenerationRequest.extend({
        thread: ThreadId.optional().openapi({ description: 'What is not given is as in its last request.' }),
      }).strict(),
    ),
  },
  responses: answers(
    z.object({
      body: z.string(),
      dialect: z.string(),
      provider: z.string(),
      model: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      losses: z.array(DescribedLoss),
      parts: Parts.optional(),
    }),
  ),
});

export const requests = apiRouter()
  .openapi(sent, async (c) => {
    const { forest, redact } = c.var.services;
    const { node } = c.req.valid('param');
    const { thread, stateless } = c.req.valid('query');
    const of = given({ thread });
    const [{ address, losses, ...request }, parts] = await Promise.all([
      forest.request(node, { ...of, stateless: stateless === 'true' }),
      forest.requestParts(node, of),
    ]);
    const view = {
      ...request,
      ...(address !== undefined && { url: address }),
      ...(losses && { losses: losses.map(lossView) }),
      ...(parts && { parts: partsView(parts) }),
    };
    return c.json(redact(view), 200);
  })
  .openapi(preview, async (c) => {
    const { engine, generating, redact } = c.var.services;
    const { thread, ...wish } = c.req.valid('json');
    const at = c.req.valid('param').node;
    const options = await generating.options(given(wish), thread === undefined ? undefined : { thread, at });
    const { headers, losses, parts, ...request } = await engine.preview(at, { ...options, ...given({ thread }) });
    const view = {
      ...request,
      headers: { ...headers },
      losses: losses.map(lossView),
      ...(parts && { parts: partsView(parts) }),
    };
    return c.json(redact(view), 200);
  });

function partsView({ part, index, before, after }: PrefixDifference): z.infer<typeof Parts> {
  return { part, index, ...given({ before, after }) };
}
