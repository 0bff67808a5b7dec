import { setTimeout } from 'node:timers/promises';

const PAUSE_MS = 100;
const IDLE_MICROS = 1000;

/**
 * For programs that `measurePrograms` runs: counts the CPU time and the peak memory of `work` alone, without what the program
 * prepared before. Garbage of the preparation is collected first where `--expose-gc` is on, and what other threads still do for
 * it (sweeping, compiling) is waited for.
 *
 * @example
 * ```js
 * import { run, user } from '@skein/core';
 * import { countOnly } from '../count-only.mjs';
 *
 * const messages = longHistory();
 * await countOnly(() => run({ model, messages }).result);
 * ```
 * @template Result
 * @param {() => Result | Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function countOnly(work) {
  const bench = /** @type {{ begin(): void, end(): void } | undefined} */ (Reflect.get(globalThis, 'skeinBench'));
  globalThis.gc?.();
  await settle();
  bench?.begin();
  const result = await work();
  bench?.end();
  return result;
}

/** Waits until the process has used no CPU time to speak of in three pauses, one after the other. */
async function settle() {
  for (let idle = 0; idle < 3; ) {
    const before = process.cpuUsage();
    await setTimeout(PAUSE_MS);
    const { user, system } = process.cpuUsage(before);
    idle = user + system < IDLE_MICROS ? idle + 1 : 0;
  }
}
