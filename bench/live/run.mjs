// Runs every scenario with every provider, and says which providers were real.
import { parseArgs } from 'node:util';
import { cells } from '../table.mjs';
import { providersIn } from './providers.mjs';
import { SCENARIOS } from './scenarios.mjs';

const { values: given } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const { asked, end } = await providersIn(process.env);
const chosen = asked.filter(({ provider }) => !given.only || given.only.includes(provider));
if (!chosen.some(({ real }) => real))
  console.log('There is no key in the environment: no real provider is asked, the emulator plays all of them.\n');
/** @type {string[][]} */
const rows = [];
for (const one of chosen)
  for (const { name, run } of SCENARIOS) {
    const before = performance.now();
    const result = await run(
      one,
      asked.filter((other) => other !== one && other.real === one.real),
    ).then(
      () => 'works',
      (error) => `FAILED: ${String(error).split('\n')[0]?.slice(0, 160)}`,
    );
    rows.push([one.provider, one.from, name, result, ((performance.now() - before) / 1000).toFixed(1)]);
  }
await end();
console.log(cells(['provider', 'key', 'scenario', 'result', 'seconds'], rows, 4));
if (rows.some(([, , , result]) => result?.startsWith('FAILED'))) process.exitCode = 1;
