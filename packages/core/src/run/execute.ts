import { realClock, Stopper } from '../providers/transport/clock.ts';
import { checkOptions } from './check-options.ts';
import { RunError } from './errors.ts';
import { Journal } from './journal.ts';
import { loop } from './loop.ts';
import { type Directory, targetsOf } from './targets.ts';
import type { RunEvent, RunOptions, RunResult } from './types.ts';

/** A run from its beginning to its end, told as it happens. */
export async function execute(
  options: RunOptions,
  directory: Directory,
  stopped: AbortSignal,
  emit: (event: RunEvent) => void,
): Promise<RunResult> {
  const { clock = realClock, signal, limits } = options;
  const journal = new Journal(options, clock, emit);
  const stopping = new Stopper<'aborted' | 'time'>(clock);
  try {
    await checkOptions(options);
    for (const one of [stopped, signal]) stopping.follow(one, () => 'aborted');
    stopping.after((limits?.seconds ?? Number.POSITIVE_INFINITY) * 1000, 'time');
    // Loaded on first use, as the checker of schemas below it is.
    const output = options.output && new (await import('./output/output-spec.ts')).OutputSpec(options.output);
    const tools = [...(options.tools ?? []), ...(output ? [output.tool] : [])];
    const running = {
      ...{ options, journal, stopping, clock, output },
      // Loaded on first use: many runs have none.
      tools: tools.length > 0 ? new (await import('./tools/use-tools.ts')).ToolSet(tools) : undefined,
      targets: targetsOf(options, directory),
    };
    const { stop, pending } = await loop(running, directory);
    const result = journal.result(stop, pending, await output?.read(journal.text, stop));
    const { usage, cost, steps } = result;
    journal.observe({ type: 'finish', stop, usage, cost, steps: steps.length, result });
    emit({ type: 'finish', result });
    return result;
  } catch (cause) {
    const error = new RunError(cause, journal.added, journal.steps, journal.checkpoints);
    journal.observe({ type: 'failed', code: error.code, error });
    throw error;
  } finally {
    stopping.dispose();
  }
}
