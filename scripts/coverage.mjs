// `npm run coverage [area…]`: the branches that the tests of the areas reach; with `--mutants`, which changes they notice.
import { root, run, setUp } from './setup.mjs';

const done = setUp() && run(process.execPath, [`${root}bench/mutation/run.mjs`, ...process.argv.slice(2)]);
process.exitCode = done ? 0 : 1;
