/** One seed after the other until the time is over. Failing seeds are printed. */
import { parseArgs } from 'node:util';
import type { SimulationResult } from './run-world.ts';

/**
 * `sizes` are further options with their defaults, which `simulate` receives. `--runs` limits the number of seeds; `--until` ends
 * with the first seed whose failure says a text, and prints which one that is.
 */
export async function runSeeds<S extends Readonly<Record<string, number>>>(
  simulate: (seed: number, steps: number, sizes: S) => Promise<SimulationResult>,
  sizes: S = {} as S,
): Promise<void> {
  const own = Object.entries(sizes).map(([name, size]) => [name, { type: 'string', default: String(size) }] as const);
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(own),
      seconds: { type: 'string', default: '3600' },
      seed: { type: 'string', default: '1' },
      every: { type: 'string', default: '1' },
      steps: { type: 'string', default: '60' },
      runs: { type: 'string', default: 'Infinity' },
      until: { type: 'string' },
    },
  });
  const { until } = values;
  const [seconds, first, every, steps, most] = [
    values.seconds,
    values.seed,
    values.every,
    values.steps,
    values.runs,
  ].map(Number);
  const given = Object.fromEntries(
    own.map(([name]) => [name, Number((values as Record<string, unknown>)[name])]),
  ) as unknown as S;
  const TOLD_EVERY = 50;

  const total = { simulatedMs: 0, steps: 0, faults: 0, assertions: 0 };
  const failed: number[] = [];
  let found: { readonly seed: number; readonly step: number } | undefined;
  let runs = 0;
  // The simulation replaces the clock, but not this one.
  const began = process.hrtime.bigint();
  const elapsed = () => Number(process.hrtime.bigint() - began) / 1e9;
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const tell = () => {
    const hours = Math.round(total.simulatedMs / 3_600_000);
    const cpu = cpuSeconds();
    console.log(
      `${runs} runs from seed ${first}: ${total.steps} steps, ${hours} simulated hours, ${total.faults} faults, ${total.assertions} assertions, ${failed.length} failed; ` +
        `${Math.round(elapsed())} s, ${Math.round(cpu)} s of CPU, ${Math.round(total.simulatedMs / 1000 / cpu)} simulated seconds per second of CPU`,
    );
  };

  for (let seed = first!; elapsed() < seconds! && runs < most! && !found; seed += every!) {
    try {
      const { trace: _, ...result } = await simulate(seed, steps!, given);
      for (const [name, value] of Object.entries(result)) total[name as keyof typeof total] += value;
    } catch (error) {
      const { message } = error as Error;
      const [, step] = /^Seed \d+ fails after (\d+) steps/.exec(message) ?? [];
      if (until !== undefined && message.includes(until)) found = { seed, step: Number(step) };
      else failed.push(seed);
      console.error(message);
    }
    runs += 1;
    if (runs % TOLD_EVERY === 0) tell();
  }
  if (until !== undefined) {
    console.log(`RESULT ${JSON.stringify({ found, others: failed, runs, cpuSeconds: Math.round(cpuSeconds()) })}`);
    return;
  }
  tell();
  if (failed.length > 0) {
    console.error(`These seeds failed: ${failed.join(', ')}. Run one again with --seed ${failed[0]} --seconds 1.`);
    process.exitCode = 1;
  }
}
