// `npm start`: from a fresh clone to a running example.
import { build, root, run, setUp } from './setup.mjs';

const done = setUp() && build() && run(process.execPath, [`${root}examples/round-trip.mjs`]);
process.exitCode = done ? 0 : 1;
