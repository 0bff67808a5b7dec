// `npm run torture [times]`: the crash tests, a thousand times each instead of twenty.
import { setUp, tool } from './setup.mjs';

process.env.SKEIN_KILLS = process.argv[2] ?? '1000';
const done = setUp() && tool('vitest', ['run', 'packages/forest/test/crash', '--testTimeout=0']);
process.exitCode = done ? 0 : 1;
