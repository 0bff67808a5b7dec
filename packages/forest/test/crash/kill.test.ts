import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildChild, killOnce } from './kill.ts';

/** `npm run torture` asks for more. */
const ROUNDS = Number(process.env.SKEIN_KILLS ?? 20);

let child: Awaited<ReturnType<typeof buildChild>>;
let folder: string;

beforeAll(async () => {
  child = await buildChild();
  folder = await mkdtemp(join(tmpdir(), 'skein-kill-'));
});
afterAll(async () => {
  await child.remove();
  await rm(folder, { recursive: true });
});

describe('kill -9 at a random moment', () => {
  test(`${ROUNDS} times, of one writer or two at once, loses nothing that was acknowledged`, async () => {
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round++)
      acknowledged += await killOnce(child.script, folder, `r${round}`, 1 + (round % 2));
    expect(acknowledged).toBeGreaterThan(ROUNDS);
  });
});
