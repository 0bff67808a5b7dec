import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { save, saved } from './corpus.ts';
import { targets as config } from './targets/config.ts';
import { targets as dialects } from './targets/dialects.ts';
import { targets as http } from './targets/http.ts';
import { targets as importers } from './targets/importers.ts';
import { targets as json } from './targets/json.ts';
import { targets as segments } from './targets/segments.ts';
import { targets as state } from './targets/state.ts';

/** How many seconds to search, for all targets together; by default only earlier failures are tried again. */
const seconds = Number(process.env.SKEIN_FUZZ_SECONDS ?? 0);
const seed = Number(process.env.SKEIN_FUZZ_SEED ?? Date.now() % 2 ** 31);
const FEW = 20;

const targets = [...json, ...dialects, ...state, ...importers, ...segments, ...config, ...http];

/** What was tried, for the table. */
const report: { name: string; tried: number; outcomes: Record<string, number>; failure?: string }[] = [];

afterAll(async () => {
  for (const target of targets) await target.close?.();
  if (process.env.SKEIN_FUZZ_REPORT) writeFileSync(process.env.SKEIN_FUZZ_REPORT, JSON.stringify({ seed, report }));
});

describe.each(targets)('$name', ({ name, input, run }) => {
  test('what once failed', async () => {
    for (const { file, text } of saved(name))
      await expect(Promise.resolve(run(text)), file).resolves.toBeTypeOf('string');
  });

  test('anything', async () => {
    const outcomes: Record<string, number> = {};
    let tried = 0;
    const property = fc.asyncProperty(input, async (text) => {
      tried += 1;
      const outcome = await run(text);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    });
    const limit = { numRuns: 1e9, interruptAfterTimeLimit: (seconds * 1000) / targets.length };
    const found = await fc.check(property, { seed, ...(seconds > 0 ? limit : { seed: 1, numRuns: FEW }) });
    const [failing] = found.counterexample ?? [];
    const failure = failing === undefined ? undefined : save(name, failing);
    report.push({ name, tried, outcomes, ...(failure && { failure }) });
    expect(failing === undefined ? undefined : [failure, failing, String(found.errorInstance)]).toBeUndefined();
  });
});
