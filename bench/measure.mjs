// CPU time of this process (user and system), or by the clock, round by round, all contestants in turn.

/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {() => unknown} [prepare] not counted; what it returns is handed to `run`
 * @property {(prepared: any) => unknown} run what it returns is kept until its next round
 */

/**
 * The milliseconds of each contestant in each round. The first rounds, in which code is still being compiled, are left
 * out.
 * @param {readonly Contestant[]} contestants
 * @param {{ rounds: number, warmUp: number, by?: 'cpu' | 'clock' }} options by the clock where others do the work
 * @returns {Promise<Map<string, number[]>>}
 */
export async function measure(contestants, { rounds, warmUp, by = 'cpu' }) {
  /** @type {Map<string, number[]>} */
  const times = new Map(contestants.map(({ name }) => [name, []]));
  // Collecting garbage throws compiled code away with the last object that used it; a program that has another reply
  // under way keeps it.
  const kept = new Map();
  for (let round = -warmUp; round < rounds; round++) {
    for (const { name, prepare, run } of contestants) {
      const prepared = await prepare?.();
      await collectGarbage();
      const before = now(by);
      const result = await run(prepared);
      const spent = now(by) - before;
      kept.set(name, result);
      if (round >= 0) times.get(name)?.push(spent);
    }
  }
  return times;
}

/**
 * Milliseconds.
 * @param {'cpu' | 'clock'} by
 */
function now(by) {
  if (by === 'clock') return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Collects garbage, so that no contestant pays for another. */
async function collectGarbage() {
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * One contestant against the floor: the median over the rounds of (its time / the floor's time in the same round), and
 * half the distance between the quartiles as the spread.
 * @param {readonly number[]} floor
 * @param {readonly number[]} other
 */
export function compare(floor, other) {
  const ratios = other.map((time, round) => time / (floor[round] ?? Number.NaN));
  const ratio = quantile(ratios, 0.5);
  const spread = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2 / ratio;
  return { floor: quantile(floor, 0.5), time: quantile(other, 0.5), ratio, spread };
}

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
