import { run } from './run.ts';
import type { Run, RunOptions } from './types.ts';

/** The same request several times side by side: each its own run, with its own reply and its own tool calls. */
export function samples<Output = unknown>(count: number, options: RunOptions<Output>): readonly Run<Output>[] {
  const messages = [...options.messages];
  return Array.from({ length: count }, (_, index) => {
    const seed = options.params?.seed;
    // One seed for all would give one reply many times.
    const params = seed === undefined ? options.params : { ...options.params, seed: seed + index };
    return run({ ...options, messages, params });
  });
}
