import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { noticeSabotage, SABOTAGES } from './sabotage.mjs';
import { root } from './setup.mjs';

// `npm run simulate -- --sabotage` tries all of them. Here, one of each simulator is tried that is noticed soon: which seed notices it depends on when the code waits for what.

const QUICK = [
  'a batch is acknowledged before it is on the disk',
  'the gateway restores no replies',
  'threads are not written',
];

test.each(QUICK)('a simulator notices that %s', { timeout: 600_000 }, async (broken) => {
  const sabotage = SABOTAGES.find((one) => one.broken === broken)!;
  const { isNoticed } = await noticeSabotage(sabotage, { seeds: 8 });
  expect(isNoticed).toBe(true);
});

test('each sabotage changes a text that its file has once', () => {
  for (const { file, replace } of SABOTAGES.flatMap(({ changes }) => changes))
    expect(readFileSync(root + file, 'utf8').split(replace), `${file}: ${replace}`).toHaveLength(2);
});
