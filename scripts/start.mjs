// `npm start`: from a fresh clone to a running server.
import { isBuilt } from './build-state.mjs';
import { build, root, run, setUp } from './setup.mjs';

const done =
  setUp() &&
  (isBuilt() || build()) &&
  run(process.execPath, [`${root}packages/cli/dist/skein.js`, ...process.argv.slice(2)]);
process.exitCode = done ? 0 : 1;
