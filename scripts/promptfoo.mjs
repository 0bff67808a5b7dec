// `npm run promptfoo`: promptfoo itself reads and runs an exported dataset, against the emulator.
import { build, root, run, setUp } from './setup.mjs';

const done = setUp() && build() && run(process.execPath, [`${root}bench/promptfoo/run.mjs`]);
process.exitCode = done ? 0 : 1;
