// `npm run gateway`: the newest SDKs as clients of the gateway, with every protocol behind it. Arguments are passed on.
import { build, root, run, setUp } from './setup.mjs';

const gateway = [`${root}bench/gateway/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, gateway);
process.exitCode = done ? 0 : 1;
