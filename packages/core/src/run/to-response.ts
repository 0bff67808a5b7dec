import type { Run, RunEvent } from './types.ts';

export interface ToResponseOptions {
  /** `events`: the run's own events. `ui`: what clients of the AI SDK read (UI message stream, version 1). */
  readonly format?: 'events' | 'ui' | undefined;
  /** Whether the run ends when the reader goes away; default false. */
  readonly stopOnCancel?: boolean | undefined;
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  // Proxies must not hold back what is there.
  'x-accel-buffering': 'no',
};

/** A run as a response with server-sent events, from the first one. */
export function toResponse(
  run: Pick<Run, 'stop' | typeof Symbol.asyncIterator>,
  { format = 'events', stopOnCancel = false }: ToResponseOptions = {},
): Response {
  const texts = textsOf(run, format);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`data: ${value}\n\n`));
    },
    cancel() {
      if (stopOnCancel) run.stop();
    },
  });
  return new Response(body, {
    headers: { ...HEADERS, ...(format === 'ui' && { 'x-vercel-ai-ui-message-stream': 'v1' }) },
  });
}

/** Loaded on first use: few runs are answered with a response. */
async function* textsOf(events: AsyncIterable<RunEvent>, format: 'events' | 'ui'): AsyncGenerator<string, void> {
  const { responseTexts } = await import('./response-texts.ts');
  yield* responseTexts(events, format);
}
