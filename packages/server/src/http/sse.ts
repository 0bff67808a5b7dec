import type { Context } from 'hono';

export interface SseMessage {
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

const HEARTBEAT_MS = 15_000;

/**
 * Messages as server-sent events, one at a time as the client takes them: a slow client holds up only itself, and
 * nothing is piled up for it. `messages` is told to end when the client leaves.
 */
export function sseResponse(c: Context, messages: (signal: AbortSignal) => AsyncIterable<SseMessage>): Response {
  const leaving = new AbortController();
  const encoder = new TextEncoder();
  const iterator = messages(leaving.signal)[Symbol.asyncIterator]();
  let heartbeat: NodeJS.Timeout | undefined;
  const end = () => {
    clearInterval(heartbeat);
    leaving.abort();
    void iterator.return?.();
  };
  c.req.raw.signal.addEventListener('abort', end, { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(': skein\n\n'));
        heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still here\n\n'));
        }, HEARTBEAT_MS);
      },
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (!done) return controller.enqueue(encoder.encode(frame(value)));
          clearInterval(heartbeat);
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  });
}

function frame({ id, event, data }: SseMessage): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}
