// `npm run live`: end-to-end scenarios against the real providers whose keys are in the environment. A provider without
// a key is replaced by the emulator, through its base URL, so that the scenarios themselves are tested.
import { build, root, run, setUp } from './setup.mjs';

const done = setUp() && build() && run(process.execPath, [`${root}bench/live/run.mjs`, ...process.argv.slice(2)]);
process.exitCode = done ? 0 : 1;
