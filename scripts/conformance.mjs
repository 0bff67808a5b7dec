// `npm run conformance`: measures how much of a provider's reply each library sends back. Arguments are passed on.
import { build, root, run, setUp } from './setup.mjs';

const suite = [`${root}bench/conformance/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, suite);
process.exitCode = done ? 0 : 1;
