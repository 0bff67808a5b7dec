import { createRoute, z } from '@hono/zod-openapi';
import { followChanges } from '@skein/forest';
import { type SseMessage, sseResponse } from '../http/sse.ts';
import { apiRouter, streams } from './route.ts';

const feed = createRoute({
  method: 'get',
  path: '/changes',
  tags: ['forest'],
  summary: 'Everything that changes in the forest, whoever writes it, as server-sent events',
  request: { query: z.object({ after: z.string().max(500).optional() }) },
  responses: streams('text/event-stream', 'Changes, until the client leaves'),
});

export const changes = apiRouter().openapi(feed, async (c) => {
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
