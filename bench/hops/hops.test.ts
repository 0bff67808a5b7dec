import { writeFileSync } from 'node:fs';
import { startEmulator } from '@skein/emulator';
import { expect, test } from 'vitest';
import type { RandomBrain } from './brain.ts';
import { play } from './conversation.ts';
import { EMULATOR } from './places.ts';

/** `npm run hops` runs more. */
const COUNT = Number(process.env.SKEIN_HOPS ?? 60);
const FIRST = Number(process.env.SKEIN_HOPS_SEED ?? 1);

test(`${COUNT} random conversations over all providers: nothing is refused, and requests extend the ones before`, async () => {
  let brain: RandomBrain | undefined;
  const emulator = await startEmulator({ ...EMULATOR, brain: (request) => brain!.answer(request) });
  const failures: string[] = [];
  const events: Record<string, number> = {};
  let requests = 0;
  let compared = 0;
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    try {
      const played = await play(seed, emulator, (next) => {
        brain = next;
      });
      requests += played.requests;
      compared += played.compared;
      for (const [event, count] of Object.entries(played.events)) events[event] = (events[event] ?? 0) + count;
    } catch (error) {
      failures.push(`SKEIN_HOPS_SEED=${seed} SKEIN_HOPS=1: ${error instanceof Error ? error.message : error}`);
    }
  }
  await emulator.close();
  if (process.env.SKEIN_HOPS_REPORT)
    writeFileSync(
      process.env.SKEIN_HOPS_REPORT,
      JSON.stringify({ count: COUNT, requests, compared, events, failures }),
    );
  expect(failures).toEqual([]);
  expect(compared).toBeGreaterThan(COUNT);
}, 0);
