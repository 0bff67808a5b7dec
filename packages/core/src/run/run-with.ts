import type { Dialect } from '../dialects/index.ts';
import { startRun } from './start-run.ts';
import type { Run, RunOptions } from './types.ts';

/**
 * `run` with one dialect, so that a bundle carries no other. A model given as text is one of the dialect's home
 * provider; others are given with their descriptor.
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
