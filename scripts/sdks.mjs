// `npm run sdks`: the vendors' newest SDKs through the recording proxy to the emulator. Arguments are passed on.
import { build, root, run, setUp } from './setup.mjs';

const sdks = [`${root}bench/sdks/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, sdks);
process.exitCode = done ? 0 : 1;
