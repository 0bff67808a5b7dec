// `npm run test:long`: the same checks as in `npm test` with more rounds, seeds and time than fit there, in about half an
// hour. `npm test` does not include it: run both before a change is called done.
import { root, run, setUp } from './setup.mjs';

/** @type {readonly (readonly [script: string, ...args: string[]])[]} */
const PARTS = [
  ['long-tests.mjs'],
  ['package-checks.mjs'],
  ['installing.mjs'],
  ['page-access.mjs'],
  ['torture.mjs', '100'],
  ['fuzz.mjs', '--seconds', '120'],
  ['fuzz.mjs', '--properties', '3'],
];

const total = { passed: 0, failed: 0 };
const durations = [];
if (!setUp()) total.failed += 1;
else
  for (const [script, ...args] of PARTS) {
    console.log(`\n=== ${script} ${args.join(' ')}`);
    const start = performance.now();
    const ok = run(process.execPath, [`${root}scripts/${script}`, ...args]);
    total[ok ? 'passed' : 'failed'] += 1;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    durations.push(`${seconds.padStart(7)} s  ${ok ? '' : 'FAILED: '}${script} ${args.join(' ')}`);
  }
console.log(`\n${durations.join('\n')}\n\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
