// `npm run simulation`: whether placement keeps conversations apart and whole. (`npm run simulate` is about crashes.) Arguments are passed on: `npm run simulation -- --seed 2`.
import { build, root, run, setUp } from './setup.mjs';

const done = setUp() && build() && run(process.execPath, [`${root}bench/simulation/run.mjs`, ...process.argv.slice(2)]);
process.exitCode = done ? 0 : 1;
