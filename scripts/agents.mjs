// `npm run agents`: the newest coding agents through the gateway and the proxy, their logs imported, their sessions handed over.
// Arguments are passed on.
import { build, root, run, setUp } from './setup.mjs';

const agents = [`${root}bench/agents/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, agents);
process.exitCode = done ? 0 : 1;
