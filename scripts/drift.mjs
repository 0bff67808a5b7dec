// `npm run drift`: compares the types of the newest SDKs with our emulator and dialects. Arguments are passed on.
import { build, root, run, setUp } from './setup.mjs';

const watch = [`${root}bench/drift/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, watch);
process.exitCode = done ? 0 : 1;
