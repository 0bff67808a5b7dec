// Builds every package into its dist folder. It calls the function of tsdown, because its command warns about Node 20, which
// Skein supports, on every run.
import { build } from 'tsdown';
import { noteBuild } from './build-state.mjs';
import { tool } from './setup.mjs';

await build({ logLevel: 'warn' });
if (tool('vite', ['build', '--logLevel', 'warn'], 'packages/web')) noteBuild();
else process.exitCode = 1;
