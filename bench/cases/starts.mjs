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
  const peers = peerImports();
  // The budgets are for the oldest Node that Skein supports: a newer one starts in less than half the time.
  const judged = (/** @type {string} */ group) => (peers.length === 0 ? { group } : {});
  return [
    { name: 'import of core', ...judged('import of core'), programs: [FLOOR, empty, core, ...peers] },
    ...['forest', 'agents', 'server'].map((name) => ({
      name: `import of ${name}`,
      ...judged(`import of ${name}`),
      programs: [FLOOR, { name: 'skein', args: ['-e', `import("@skein/${name}")`] }],
    })),
    ...['--version', '--help', 'threads --help'].map((words) => ({
      name: `skein ${words}`,
      ...judged('start of the command'),
      programs: [FLOOR, { name: 'skein', args: [SKEIN, ...words.split(' ')] }],
    })),
    {
      name: 'skein threads, nothing stored',
      programs: [FLOOR, { name: 'skein', args: [SKEIN, 'threads', '--store', 'memory'] }],
    },
  ];
}
