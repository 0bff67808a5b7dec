import { type Dialect, loadDialect } from '../dialects/index.ts';
import type { JsonObject } from '../json/index.ts';
import { isIterable, type Message } from '../message/index.ts';
import { modelInfo, parseModel } from '../providers/index.ts';
import type { RunOptions } from './options.ts';
import type { Directory } from './question.ts';
import type { Run, RunEvent, RunResult } from './result.ts';
import type { SteeringInput } from './steering.ts';
import type { AnswerSchema, InferAnswer } from './tools/tool.ts';

/**
 * Asks a model, runs the tools that it calls, and asks again until it is done.
 *
 * @example
 * const answer = await run({ model: 'anthropic/claude-sonnet-5', messages: [user('Hello')] }).text;
 */
export function run<const Schema extends AnswerSchema = JsonObject>(
  options: RunOptions<Schema>,
): Run<InferAnswer<Schema>> {
  return startRun(options, { dialect: loadDialect, parseModel, modelLimits: modelInfo });
}

/**
 * `run` with one dialect, so that a bundle contains no other. A model given as text belongs to the dialect's home provider;
 * models of other providers are given with their descriptor.
 *
 * @example
 * const answer = await runWith(openaiChat, { model: 'gpt-5.5', messages: [user('Hello')] }).text;
 */
export function runWith<const Schema extends AnswerSchema = JsonObject>(
  dialect: Dialect,
  options: RunOptions<Schema>,
): Run<InferAnswer<Schema>> {
  const { home } = dialect;
  return startRun(options, {
    dialect: (id) => {
      if (id === dialect.id) return dialect;
      throw new TypeError(`This run speaks ${dialect.id} only, not ${id}`);
    },
    parseModel: (text) => ({
      provider: home,
      model: text.startsWith(`${home.id}/`) ? text.slice(home.id.length + 1) : text,
    }),
  });
}

/**
 * The same request several times, side by side: each is a run with its own reply and its own tool calls.
 *
 * @example
 * const answers = await Promise.all(samples(3, { model, messages }).map((run) => run.text));
 */
export function samples<const Schema extends AnswerSchema = JsonObject>(
  count: number,
  options: RunOptions<Schema>,
): readonly Run<InferAnswer<Schema>>[] {
  const messages = [...options.messages];
  return Array.from({ length: count }, (_, index) => {
    const seed = options.params?.seed;
    // One seed for all would give the same reply every time.
    const params = seed === undefined ? options.params : { ...options.params, seed: seed + index };
    return run<Schema>({ ...options, messages, params });
  });
}

function startRun<Output>(options: RunOptions, directory: Directory): Run<Output> {
  const log = new EventLog<RunEvent>();
  const stopping = new AbortController();
  const steering: SteeringInput = { waiting: [], isOver: false };
  const emit = (event: RunEvent | EventRun<RunEvent>) => log.push(event);
  // `output` has checked the answer by its schema.
  const result = execute(options, directory, stopping.signal, emit, steering) as Promise<RunResult<Output>>;
  result.then(
    () => log.end(),
    (error: unknown) => log.fail(error),
  );
  const steer = (message: string | Message): boolean => {
    if (steering.isOver) return false;
    if (!steering.deliver?.(message)) steering.waiting.push(message);
    return true;
  };
  return makeRun(log, result, { stop: () => stopping.abort(), steer });
}

/** Copies the lists, which the caller may change, and loads the loop: code that asks nothing does without it. */
async function execute(
  options: RunOptions,
  directory: Directory,
  stopped: AbortSignal,
  emit: (event: RunEvent | EventRun<RunEvent>) => void,
  steering: SteeringInput,
): Promise<RunResult> {
  const { messages, tools } = options;
  const copy: RunOptions = {
    ...options,
    messages: isIterable(messages) ? [...messages] : messages,
    ...(Array.isArray(tools) && { tools: [...tools] }),
  };
  const { executeRun } = await import('./loop.ts');
  return executeRun(copy, directory, stopped, emit, steering);
}

/** Several events in a row, which are made whenever someone reads them. */
export type EventRun<T> = () => readonly T[];

/** Keeps all events, so that a late reader gets them from the first one. */
export class EventLog<T> {
  readonly #entries: (T | EventRun<T>)[] = [];
  readonly #waiting: (() => void)[] = [];
  #ended: { readonly failure?: unknown } | undefined;

  push(entry: T | EventRun<T>): void {
    this.#entries.push(entry);
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

  /** Not a generator, which makes three promises for each event: an event that is here is handed out with one. */
  read(): AsyncIterableIterator<T, void, undefined> {
    const entries = this.#entries;
    const over: IteratorReturnResult<void> = { value: undefined, done: true };
    let at = 0;
    /** The events of the run before that place, and how many of them are read. */
    let run: readonly T[] = [];
    let read = 0;
    let isOver = false;
    const next = (): Promise<IteratorResult<T, void>> => {
      if (read < run.length && !isOver) return Promise.resolve({ value: run[read++]!, done: false });
      if (at < entries.length && !isOver) {
        const entry = entries[at++]!;
        // No event is a function.
        if (typeof entry !== 'function') return Promise.resolve({ value: entry, done: false });
        run = (entry as EventRun<T>)();
        read = 0;
        return next();
      }
      if (!this.#ended && !isOver) return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(next);
      const failure = isOver ? undefined : this.#ended;
      isOver = true;
      return failure && 'failure' in failure ? Promise.reject(failure.failure) : Promise.resolve(over);
    };
    return {
      next,
      return() {
        isOver = true;
        return Promise.resolve(over);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #wake(): void {
    if (this.#waiting.length > 0) for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The run that a caller holds: its events, its result and how to stop it. */
export function makeRun<Output>(
  log: EventLog<RunEvent>,
  result: Promise<RunResult<Output>>,
  { stop, steer }: { readonly stop: () => void; readonly steer: Run['steer'] },
): Run<Output> {
  // A caller who iterates gets the failure there.
  result.catch(() => {});
  let text: Promise<string> | undefined;
  const events = { stop, [Symbol.asyncIterator]: () => log.read() };
  const run: Omit<Run<Output>, 'then'> = {
    ...events,
    steer,
    result,
    // Read on first use: who has read the events need not read the message.
    get text() {
      if (!text) {
        text = result.then((done) => done.text);
        text.catch(() => {});
      }
      return text;
    },
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
