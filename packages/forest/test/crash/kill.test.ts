import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildChild, crashAndCrash, killOnce, ROUNDS } from './kill.ts';

let child: Awaited<ReturnType<typeof buildChild>>;

beforeAll(async () => {
  child = await buildChild();
});
afterAll(() => child.remove());

describe('kill -9 at a random moment', () => {
  test(`${ROUNDS} times, of one writer or two at once, loses nothing that was acknowledged`, async () => {
    let acknowledged = 0;
    await crashAndCrash(async (folder, rounds) => {
      for (let round = 0; round < rounds; round++)
        acknowledged += await killOnce(child.script, folder, `r${round}`, 1 + (round % 2));
    });
    // On a busy machine a writer may be killed before its first append.
    expect(acknowledged).toBeGreaterThan(0);
  });
});
