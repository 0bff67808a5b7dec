// `npm run cluster`: a PostgreSQL cluster whose primary is killed while two servers write. `npm run cluster -- --kills 4` is shorter.
import { build, root, run, setUp } from './setup.mjs';

const done = setUp() && build() && run(process.execPath, [`${root}bench/cluster/run.mjs`, ...process.argv.slice(2)]);
process.exitCode = done ? 0 : 1;
