import { expect, test } from 'vitest';
import { type SimulationResult, simulate } from './simulate.ts';

// `npm run simulate` sets these. Without them the run is short, and the same every time.
const SECONDS = Number(process.env.SKEIN_SIMULATE_SECONDS ?? 0);
const FIRST = Number(process.env.SKEIN_SIMULATE_SEED ?? 1);
const SHORT = 2;

test('machines that crash, lose power, run out of space and meet over a bad network keep what they acknowledged, and agree', async () => {
  const total = { runs: 0, simulatedMs: 0, steps: 0, faults: 0, assertions: 0 };
  const end = performance.now() + SECONDS * 1000;
  for (let seed = FIRST; SECONDS > 0 ? performance.now() < end : seed < FIRST + SHORT; seed++) {
    const { trace: _, ...result }: SimulationResult = await simulate(seed, SECONDS > 0 ? 60 : 20);
    total.runs += 1;
    for (const [name, value] of Object.entries(result)) total[name as keyof typeof total] += value;
  }
  const hours = Math.round(total.simulatedMs / 3_600_000);
  if (SECONDS > 0)
    console.log(
      `${total.runs} runs from seed ${FIRST}: ${total.steps} steps, ${hours} simulated hours, ${total.faults} faults, ${total.assertions} assertions`,
    );
  expect(total.faults).toBeGreaterThan(0);
});

test('the same seed gives the same run', async () => {
  const [first, second] = [await simulate(7, 12), await simulate(7, 12)];
  expect(second).toEqual(first);
});
