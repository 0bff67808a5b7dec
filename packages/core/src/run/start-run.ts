import { realClock } from '../providers/index.ts';
import { checkOptions } from './check-options.ts';
import { RunError } from './errors.ts';
import { EventLog } from './event-log.ts';
import { Journal } from './journal.ts';
import { loop } from './loop.ts';
import { Stopping } from './stopping.ts';
import type { Directory } from './targets.ts';
import { toResponse } from './to-response.ts';
import { ToolSet } from './tools/tool-set.ts';
import type { Run, RunEvent, RunOptions, RunResult } from './types.ts';

/** Starts a run that looks up names in that directory. */
export function startRun<Output>(options: RunOptions<Output>, directory: Directory): Run<Output> {
  const log = new EventLog<RunEvent>();
  const stopping = new Stopping();
  // The schema in `output` has checked that it is one.
  const result = execute(options, directory, stopping, (event) => log.push(event)) as Promise<RunResult<Output>>;
  result.then(
    () => log.end(),
    (error: unknown) => log.fail(error),
  );
  const text = result.then((done) => done.text);
  // Whoever iterates learns of a failure there.
  text.catch(() => {});
  const events = { stop: () => stopping.stop('aborted'), [Symbol.asyncIterator]: () => log.read() };
  return { ...events, result, text, toResponse: (response) => toResponse(events, response) };
}

async function execute(
  options: RunOptions,
  directory: Directory,
  stopping: Stopping,
  emit: (event: RunEvent) => void,
): Promise<RunResult> {
  const { clock = realClock, signal, limits } = options;
  const journal = new Journal(options, clock, emit);
  try {
    checkOptions(options);
    if (signal) stopping.follow(signal);
    if (limits?.seconds !== undefined) stopping.after(limits.seconds * 1000, clock);
    // Loaded on first use, as the checker of schemas below it is.
    const spec = options.output && new (await import('./output/output-spec.ts')).OutputSpec(options.output);
    const tools = new ToolSet([...(options.tools ?? []), ...(spec ? [spec.tool] : [])]);
    const { stop, pending } = await loop({ options, journal, stopping, clock, tools, output: spec }, directory);
    const result = journal.result(stop, pending, await spec?.read(journal.text, stop));
    const { usage, cost, steps } = result;
    journal.observe({ type: 'finish', stop, usage, cost, steps: steps.length, result });
    emit({ type: 'finish', result });
    return result;
  } catch (cause) {
    const error = new RunError(cause, [...journal.added], [...journal.steps], [...journal.checkpoints]);
    journal.observe({ type: 'failed', code: error.code, error });
    throw error;
  } finally {
    stopping.dispose();
  }
}
