// `npm run session-logs`: the import of coding agents' logs, beside parsing their lines. Arguments are passed on.
import { build, root, run, setUp } from './setup.mjs';

const program = [`${root}bench/session-logs/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, program);
process.exitCode = done ? 0 : 1;
