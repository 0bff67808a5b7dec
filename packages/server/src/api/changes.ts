import { createRoute, z } from '@hono/zod-openapi';
import type { Forest } from '@skein/forest';
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

/** How often to look when nobody calls, in milliseconds. */
const POLL_MS = 1000;

export const changes = apiRouter().openapi(feed, async (c) => {
  const { forest } = c.var.services;
  const after = c.req.header('last-event-id') ?? c.req.valid('query').after;
  return sseResponse(c, (signal) => changesOf(forest, after, signal));
});

async function* changesOf(forest: Forest, after: string | undefined, signal: AbortSignal): AsyncGenerator<SseMessage> {
  let cursor = after;
  for (;;) {
    const woken = wake(forest, signal);
    try {
      const found = await forest.changes(cursor);
      if (found.reset) yield { id: found.next, event: 'reset', data: {} };
      if (found.items.length > 0) yield { id: found.next, event: 'changes', data: found.items };
      cursor = found.next;
      if (signal.aborted) return;
      await woken.promise;
      if (signal.aborted) return;
    } finally {
      woken.cancel();
    }
  }
}

function wake(forest: Forest, signal: AbortSignal): { readonly promise: Promise<void>; cancel(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const timer = setTimeout(resolve, POLL_MS);
  const unwatch = forest.watch(resolve);
  signal.addEventListener('abort', resolve, { once: true });
  return {
    promise,
    cancel() {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener('abort', resolve);
    },
  };
}
