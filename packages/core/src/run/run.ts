import { type Dialect, dialect } from '../dialects/index.ts';
import { isIterable } from '../message/index.ts';
import { modelInfo, parseModel } from '../providers/index.ts';
import type { Directory } from './context.ts';
import type { RunOptions } from './options.ts';
import type { Run, RunEvent, RunResult } from './result.ts';
import { EventLog, makeRun } from './run-handle.ts';

/**
 * Asks a model, runs the tools that it calls, and asks again until it is done.
 *
 * @example
 * const answer = await run({ model: 'anthropic/claude-sonnet-4-5', messages: [user('Hello')] }).text;
 */
export function run<Output = unknown>(options: RunOptions<Output>): Run<Output> {
  return startRun(options, { dialect, parseModel, modelLimits: modelInfo });
}

/**
 * `run` with one dialect, so that a bundle contains no other. A model given as text belongs to the dialect's home provider;
 * models of other providers are given with their descriptor.
 *
 * @example
 * const answer = await runWith(openaiChat, { model: 'gpt-5.2', messages: [user('Hello')] }).text;
 */
export function runWith<Output = unknown>(dialect: Dialect, options: RunOptions<Output>): Run<Output> {
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
export function samples<Output = unknown>(count: number, options: RunOptions<Output>): readonly Run<Output>[] {
  const messages = [...options.messages];
  return Array.from({ length: count }, (_, index) => {
    const seed = options.params?.seed;
    // One seed for all would give the same reply every time.
    const params = seed === undefined ? options.params : { ...options.params, seed: seed + index };
    return run({ ...options, messages, params });
  });
}

function startRun<Output>(options: RunOptions<Output>, directory: Directory): Run<Output> {
  const log = new EventLog<RunEvent>();
  const stopping = new AbortController();
  // `output` has checked the answer by its schema.
  const result = execute(options, directory, stopping.signal, (event) => log.push(event)) as Promise<RunResult<Output>>;
  result.then(
    () => log.end(),
    (error: unknown) => log.fail(error),
  );
  return makeRun(log, result, () => stopping.abort());
}

/** Copies the lists, which the caller may change, and loads the loop: code that asks nothing does without it. */
async function execute(
  options: RunOptions,
  directory: Directory,
  stopped: AbortSignal,
  emit: (event: RunEvent) => void,
): Promise<RunResult> {
  const { messages, tools } = options;
  const copy: RunOptions = {
    ...options,
    messages: isIterable(messages) ? [...messages] : messages,
    ...(Array.isArray(tools) && { tools: [...tools] }),
  };
  const { executeRun } = await import('./loop.ts');
  return executeRun(copy, directory, stopped, emit);
}
