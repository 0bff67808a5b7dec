/**
 * Where tests of the built packages find them: in this repository, or in the project that SKEIN_INSTALLED names, where they
 * are installed from package files. `scripts/releases.mjs` runs the same tests that way, with other releases of Node.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './setup.mjs';

export const project = process.env.SKEIN_INSTALLED ?? root;

const require = createRequire(join(project, 'package.json'));

/** The file of an entry, such as `@skein/core/node`. */
export const findEntry = (name: string): string => require.resolve(name);

/** The script of the command, which Node runs. */
export const command = findEntry('@skein/cli/bin');
