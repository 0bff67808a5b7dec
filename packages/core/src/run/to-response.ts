import { RunError } from './errors.ts';
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
  const isUi = format === 'ui';
  const texts = isUi ? uiTexts(run) : eventTexts(run);
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
  return new Response(body, { headers: { ...HEADERS, ...(isUi && { 'x-vercel-ai-ui-message-stream': 'v1' }) } });
}

async function* uiTexts(events: AsyncIterable<RunEvent>): AsyncGenerator<string, void, undefined> {
  // Loaded on first use: few need it.
  const { uiParts } = await import('./ui-stream.ts');
  yield* uiParts(events, messageOf);
}

async function* eventTexts(events: AsyncIterable<RunEvent>): AsyncGenerator<string, void, undefined> {
  try {
    for await (const event of events) yield jsonText(event);
  } catch (error) {
    yield JSON.stringify({
      type: 'error',
      code: error instanceof RunError ? error.code : 'failed',
      message: messageOf(error),
    });
  }
}

/** Messages write themselves as `raw` and `origin`. */
function jsonText(event: RunEvent): string {
  return JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** The message alone: causes and bodies may hold what is not for the reader. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
