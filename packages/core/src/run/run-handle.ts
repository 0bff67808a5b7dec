import type { Run, RunEvent, RunResult } from './result.ts';

/** Keeps all events, so that a late reader gets them from the first one. */
export class EventLog<T> {
  readonly #events: T[] = [];
  readonly #waiting: (() => void)[] = [];
  #ended: { readonly failure?: unknown } | undefined;

  push(event: T): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = {};
    this.#wake();
  }

  /** Readers get this error after the events before it. */
  fail(failure: unknown): void {
    this.#ended = { failure };
    this.#wake();
  }

  async *read(): AsyncGenerator<T, void, undefined> {
    for (let at = 0; ; ) {
      while (at < this.#events.length) yield this.#events[at++]!;
      if (this.#ended) {
        if ('failure' in this.#ended) throw this.#ended.failure;
        return;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The run that a caller holds: its events, its result and how to stop it. */
export function makeRun<Output>(
  log: EventLog<RunEvent>,
  result: Promise<RunResult<Output>>,
  stop: () => void,
): Run<Output> {
  const text = result.then((done) => done.text);
  // A caller who iterates gets the failure there.
  text.catch(() => {});
  const events = { stop, [Symbol.asyncIterator]: () => log.read() };
  const run: Omit<Run<Output>, 'then'> = {
    ...events,
    result,
    text,
    toResponse: (options) => toResponse(events, options),
  };
  return run as Run<Output>;
}

/** How a run becomes a response. */
export interface ToResponseOptions {
  /** `events`: the run's own events. `ui`: the UI message stream, version 1, for clients of the AI SDK. */
  readonly format?: 'events' | 'ui' | undefined;
  /** Whether the run ends when the reader goes away; default false. */
  readonly stopOnCancel?: boolean | undefined;
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  // Proxies must not buffer the events.
  'x-accel-buffering': 'no',
};

/** A response with all events of a run as server-sent events. */
function toResponse(
  run: Pick<Run, 'stop' | typeof Symbol.asyncIterator>,
  { format = 'events', stopOnCancel = false }: ToResponseOptions = {},
): Response {
  const texts = writeTexts(run, format);
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

/** Loaded on first use: few runs become a response. */
async function* writeTexts(events: AsyncIterable<RunEvent>, format: 'events' | 'ui'): AsyncGenerator<string, void> {
  const { responseTexts } = await import('./response-body.ts');
  yield* responseTexts(events, format);
}
