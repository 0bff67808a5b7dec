import { createRoute, z } from '@hono/zod-openapi';
import { type Loss as CoreLoss, describeLoss, type PrefixDifference } from '@skein/core';
import { answers, apiRouter, given, jsonBody } from './router.ts';
import { GenerationRequest, Id, ThreadId } from './schemas/forest.ts';
import { Loss } from './schemas/generation.ts';

const params = z.object({ node: Id });
const tags = ['nodes'];

const DescribedLoss = Loss.extend({
  message: z.number().optional().openapi({ description: 'Index among the messages that were sent' }),
  node: z.string().optional(),
  path: z.string().optional(),
  text: z.string().openapi({ description: 'All of it in one sentence' }),
}).openapi('DescribedLoss');

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
  tags,
  summary: 'The exact request that it answers; of several conversations, that of `thread`',
  request: {
    params,
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
  tags,
  summary: 'The exact request that would be sent below it; nothing is sent, and nothing is stored',
  request: {
    params,
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

function lossView({ message, path, ...loss }: CoreLoss & { readonly node?: string }): z.infer<typeof DescribedLoss> {
  return {
    ...loss,
    ...(message >= 0 && { message }),
    ...(path !== '' && { path }),
    text: describeLoss({ ...loss, message, path }),
  };
}

function partsView({ part, index, before, after }: PrefixDifference): z.infer<typeof Parts> {
  return { part, index, ...given({ before, after }) };
}
