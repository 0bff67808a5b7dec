// The tests that `npm test` leaves out because they take long and rarely notice what no other test does. `npm run test:long`
// runs this file.
import { pathToFileURL } from 'node:url';
import { build, setUp, tool } from './setup.mjs';

/** Files and folders whose tests only `npm run test:long` runs. */
export const LONG = [
  'bench/conformance/',
  'bench/drift/',
  'bench/hops/',
  'bench/torture/',
  'packages/core/test/faces/ten-turns.test.ts',
  'packages/core/test/loops/ten-turns.test.ts',
  'packages/core/test/loops/twins.test.ts',
  'packages/core/test/matrix/compaction.test.ts',
  'packages/forest/test/crash/forest-kill.test.ts',
  'packages/web/test/outage.test.ts',
  'scripts/kinds-of-block.test.ts',
];

/** It tries the packages in this Node; here, in all. */
const MORE = ['scripts/pack.test.ts'];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.env.SKEIN_LONG = 'true';
  const done = setUp() && build() && tool('vitest', ['run', ...LONG, ...MORE]);
  process.exitCode = done ? 0 : 1;
}
