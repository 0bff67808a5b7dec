// Builds every package into its dist folder; with --types also the declarations that TypeScript reads. These take ten times as
// long as all the rest, and only whoever installs a package needs them: the repository itself reads its sources.
// It calls the function of tsdown, because its command warns about Node 20, which Skein supports, on every run.
import { build } from 'tsdown';
import { noteBuild } from './build-state.mjs';
import { tool } from './setup.mjs';

const types = process.argv.includes('--types');
await build({ logLevel: 'warn', ...(!types && { dts: false }) });
if (tool('vite', ['build', '--logLevel', 'warn'], 'packages/web')) noteBuild({ types });
else process.exitCode = 1;
