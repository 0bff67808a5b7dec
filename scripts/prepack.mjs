// npm runs this in the folder of a package before it packs or publishes it: a package always contains what its sources say.
import { copyFileSync } from 'node:fs';
import { isBuilt } from './build-state.mjs';
import { build, root, setUp } from './setup.mjs';

if (setUp() && (isBuilt({ types: true }) || build({ types: true }))) copyFileSync(`${root}LICENSE`, 'LICENSE');
else process.exitCode = 1;
