// `npm run bench`: measures the built packages. Arguments are passed on: `npm run bench -- --check`.
import { build, root, run, setUp } from './setup.mjs';

const measured = ['--expose-gc', `${root}bench/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, measured);
process.exitCode = done ? 0 : 1;
