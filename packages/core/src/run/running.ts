import type { Clock } from '../providers/index.ts';
import type { Journal } from './journal.ts';
import type { OutputSpec } from './output/output-spec.ts';
import type { Stopping } from './stopping.ts';
import type { ToolSet } from './tools/tool-set.ts';
import type { RunOptions } from './types.ts';

/** What belongs to one run. */
export interface Running {
  readonly options: RunOptions;
  readonly journal: Journal;
  readonly stopping: Stopping;
  readonly clock: Clock;
  readonly tools: ToolSet;
  readonly output: OutputSpec | undefined;
}
