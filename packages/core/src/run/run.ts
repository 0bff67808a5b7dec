import { dialect } from '../dialects/index.ts';
import { modelInfo, parseModel } from '../providers/index.ts';
import { startRun } from './start-run.ts';
import type { Run, RunOptions } from './types.ts';

/** Asks a model, runs the tools it calls, and asks again until it is done. The one loop under everything. */
export function run<Output = unknown>(options: RunOptions<Output>): Run<Output> {
  return startRun(options, { dialect, parseModel, modelLimits: modelInfo });
}
