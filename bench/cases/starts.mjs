// What a program or a command costs before it does anything, against `node -e 0`.
import { fileURLToPath } from 'node:url';

/** @import { UserCase, UserContext } from '../as-a-user.mjs' */

const FLOOR = { name: 'floor', args: ['-e', '0'] };
const SKEIN = fileURLToPath(new URL('../../packages/cli/bin/skein.js', import.meta.url));

/**
 * @param {UserContext} context
 * @returns {UserCase[]}
 */
export function startCases({ peerImports }) {
  const empty = { name: 'an empty module', args: ['-e', 'import("data:text/javascript,")'] };
  const core = { name: 'skein', args: ['-e', 'import("@skein/core")'] };
  return [
    { name: 'import of core', group: 'import of core', programs: [FLOOR, empty, core, ...peerImports()] },
    ...['forest', 'agents', 'server'].map((name) => ({
      name: `import of ${name}`,
      group: `import of ${name}`,
      programs: [FLOOR, { name: 'skein', args: ['-e', `import("@skein/${name}")`] }],
    })),
    ...['--version', '--help', 'threads --help'].map((words) => ({
      name: `skein ${words}`,
      group: 'start of the command',
      programs: [FLOOR, { name: 'skein', args: [SKEIN, ...words.split(' ')] }],
    })),
    {
      name: 'skein threads, nothing stored',
      programs: [FLOOR, { name: 'skein', args: [SKEIN, 'threads', '--store', 'memory'] }],
    },
  ];
}
