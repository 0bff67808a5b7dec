import { isIterable } from '../message/index.ts';
import { EventLog } from './event-log.ts';
import type { Directory } from './targets.ts';
import { toResponse } from './to-response.ts';
import type { Run, RunEvent, RunOptions, RunResult } from './types.ts';

/** Starts a run that looks up names in that directory. */
export function startRun<Output>(options: RunOptions<Output>, directory: Directory): Run<Output> {
  const log = new EventLog<RunEvent>();
  const stopping = new AbortController();
  // The schema in `output` has checked that it is one.
  const result = begin(options, directory, stopping.signal, (event) => log.push(event)) as Promise<RunResult<Output>>;
  result.then(
    () => log.end(),
    (error: unknown) => log.fail(error),
  );
  const text = result.then((done) => done.text);
  // Whoever iterates learns of a failure there.
  text.catch(() => {});
  const events = { stop: () => stopping.abort(), [Symbol.asyncIterator]: () => log.read() };
  const running: Omit<Run<Output>, 'then'> = {
    ...events,
    result,
    text,
    toResponse: (response) => toResponse(events, response),
  };
  return running as Run<Output>;
}

/** Loaded with the first question: whoever only reads and writes messages asks none. What is asked is what is there now. */
async function begin(
  options: RunOptions,
  directory: Directory,
  stopped: AbortSignal,
  emit: (event: RunEvent) => void,
): Promise<RunResult> {
  const { messages, tools } = options;
  const given: RunOptions = {
    ...options,
    messages: isIterable(messages) ? [...messages] : messages,
    ...(Array.isArray(tools) && { tools: [...tools] }),
  };
  const { execute } = await import('./execute.ts');
  return execute(given, directory, stopped, emit);
}
