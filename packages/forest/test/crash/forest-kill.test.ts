import { spawn } from 'node:child_process';
import { tool } from '@skein/core';
import { type Emulator, says, startEmulator } from '@skein/emulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, importFile, openForest } from '../../src/index.ts';
import { begun, buildChild, crashAndCrash, linesOf, ROUNDS } from './kill.ts';
import { readPlainly } from './plain-reader.ts';

let child: Awaited<ReturnType<typeof buildChild>>;
let emulator: Emulator;

beforeAll(async () => {
  child = await buildChild('forest-child.ts');
  emulator = await startEmulator({
    brain: ({ results }) =>
      results.length > 0
        ? says('An answer in many small pieces. '.repeat(40), { chunkDelay: 1 })
        : {
            blocks: [
              { type: 'thinking', text: 'Hm.' },
              { type: 'tool-use', name: 'step', input: {} },
            ],
          },
  });
});

afterAll(async () => {
  await emulator.close();
  await child.remove();
});

interface Told {
  readonly done?: string;
  readonly imported?: string;
  readonly generation?: string;
  readonly ran?: string;
}

describe(`kill -9 at a random moment, ${ROUNDS} times`, () => {
  test('of splits: the old tree or the new one is there, and all that was acknowledged', async () => {
    await crashAndCrash(async (folder, rounds) => {
      for (let round = 0; round < rounds; round++) {
        const told = await workAndDie(folder, 'split', `r${round}`);
        const nodes = readPlainly(folder);
        for (const { done } of told) if (done !== undefined) expect(nodes.has(done)).toBe(true);
      }
      await expectSound(folder);
    });
  });

  test('of imports: what was acknowledged is there, and importing again adds only what is missing', async () => {
    await crashAndCrash(async (folder, rounds) => {
      const acknowledged: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const told = await workAndDie(folder, 'import', `r${round}`);
        acknowledged.push(...told.flatMap(({ imported }) => imported ?? []));
      }
      const before = readPlainly(folder).size;
      const forest = await openForest(folder);
      for (const text of acknowledged) await importFile(forest, [text], { format: 'fine-tuning' });
      await forest.close();
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(readPlainly(folder).size).toBe(before);
      await expectSound(folder);
    });
  });

  test('of packing: what was acknowledged is there, once, before and after', async () => {
    await crashAndCrash(async (folder, rounds) => {
      const acknowledged: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const done = (await workAndDie(folder, 'pack', `r${round}`)).flatMap((told) => told.done ?? []);
        // One that was killed while it packed does not keep the next one from writing.
        expect(done.length).toBeGreaterThan(0);
        acknowledged.push(...done);
        const nodes = readPlainly(folder);
        expect(acknowledged.filter((id) => !nodes.has(id))).toEqual([]);
      }
      await expectSound(folder);
    });
  });

  test('of streams and tools: the partial turn is kept, and resuming goes on without running a finished tool again', async () => {
    let resumed = 0;
    await crashAndCrash(async (folder, rounds) => {
      for (let round = 0; round < rounds; round++) {
        const told = await workAndDie(folder, 'generate', `r${round}`);
        const forest = await openForest(folder);
        const engine = createEngine(forest, { env: emulator.env(), random: () => 0 });
        const id = told.findLast(({ generation }) => generation !== undefined)?.generation;
        const state = id === undefined ? undefined : await engine.get(id);
        if (state !== undefined && state.status !== 'done') {
          expect(state.status).toBe('aborted');
          const journalled = await forest.store.entries('tool-journal', { of: `${id}/0` });
          const finished = new Set(journalled.items.map(({ order }) => order));
          const again: string[] = [];
          const step = tool({
            name: 'step',
            input: { type: 'object', properties: {} },
            execute: (_, { callId }) => {
              again.push(callId);
              return 'done';
            },
          });
          const { status } = await (await engine.resume(id!, { tools: [step] })).result;
          expect(status).toBe('done');
          expect(again.filter((callId) => finished.has(callId))).toEqual([]);
          resumed += 1;
        }
        await forest.close();
      }
      await expectSound(folder);
    });
    expect(resumed).toBeGreaterThan(0);
    for (const { verdict } of emulator.log) expect(verdict.refusal).toBeUndefined();
  });
});

async function workAndDie(folder: string, work: string, name: string): Promise<Told[]> {
  const env = { ...process.env, ...emulator.env() };
  const running = spawn(process.execPath, [child.script, folder, work, name], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = linesOf(running);
  await begun(running);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
  running.kill('SIGKILL');
  return (await lines)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Told);
}

/** Nothing is damaged; an end that was torn off is no more than that. */
async function expectSound(folder: string): Promise<void> {
  const forest = await openForest(folder);
  const problems = await forest.fsck();
  await forest.close();
  expect(problems.filter(({ code }) => code !== 'torn-line')).toEqual([]);
}
