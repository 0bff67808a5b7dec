import type { Clock } from '../providers/index.ts';
import type { Stopper } from '../providers/transport/clock.ts';
import type { Journal } from './journal.ts';
import type { OutputSpec } from './output/output-spec.ts';
import type { Target } from './targets.ts';
import type { ToolSet } from './tools/tool-set.ts';
import type { RunOptions } from './types.ts';

/** What belongs to one run. */
export interface Running {
  readonly options: RunOptions;
  readonly journal: Journal;
  /** Ends the run from outside: `aborted` by the caller, or its `time` is up. */
  readonly stopping: Stopper<'aborted' | 'time'>;
  readonly clock: Clock;
  /** The model and its fallbacks. */
  readonly targets: readonly Target[];
  /** Undefined where there are none. */
  readonly tools: ToolSet | undefined;
  readonly output: OutputSpec | undefined;
}
