// `npm run agents`: records the newest coding agents through the proxy. Arguments are passed on.
import { build, root, run, setUp } from './setup.mjs';

const agents = [`${root}bench/agents/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, agents);
process.exitCode = done ? 0 : 1;
