// `npm run conformance`: what each library sends back of what a provider sent. Arguments are handed on.
import { build, root, run, setUp } from './setup.mjs';

const suite = [`${root}bench/conformance/run.mjs`, ...process.argv.slice(2)];
const done = setUp() && build() && run(process.execPath, suite);
process.exitCode = done ? 0 : 1;
