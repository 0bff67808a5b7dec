// `npm run scale`: what a large forest costs in PostgreSQL. Arguments are passed on: `npm run scale -- --nodes 10000000`.
import { build, root, run, setUp } from './setup.mjs';

const done = setUp() && build() && run(process.execPath, [`${root}bench/scale/run.mjs`, ...process.argv.slice(2)]);
process.exitCode = done ? 0 : 1;
