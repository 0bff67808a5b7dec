// Swaps a folder for a link and back, as fast as it can, until it is killed: `node swap.mjs <folder> <kept> <outside>`.
import { renameSync, rmSync, symlinkSync } from 'node:fs';

const [folder = '', kept = '', outside = ''] = process.argv.slice(2);
process.stdout.write('swapping\n');
let stops = false;
process.on('SIGTERM', () => {
  stops = true;
});
const round = () => {
  for (let swaps = 0; swaps < 200; swaps++) {
    renameSync(folder, kept);
    symlinkSync(outside, folder);
    rmSync(folder);
    renameSync(kept, folder);
  }
  if (!stops) setImmediate(round);
  else process.exit(0);
};
round();
