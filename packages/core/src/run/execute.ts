import { realClock } from '../providers/index.ts';
import { checkOptions } from './check-options.ts';
import { RunError } from './errors.ts';
import { Journal } from './journal.ts';
import { loop } from './loop.ts';
import type { Stopping } from './stopping.ts';
import type { Directory } from './targets.ts';
import { ToolSet } from './tools/tool-set.ts';
import type { RunEvent, RunOptions, RunResult } from './types.ts';

/** A run from its beginning to its end, told as it happens. */
export async function execute(
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
