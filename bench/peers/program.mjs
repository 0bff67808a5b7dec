// One peer doing one thing, in a process of its own: `program.mjs stream|turn <module> <protocol> <url>`.
import { countOnly } from '../count-only.mjs';
import { COUNTED, conversation, HISTORY, moreTurns, SHORT } from '../data/history.mjs';
import { pieces } from '../data/streams.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

const [work, module, name, url = ''] = process.argv.slice(2);
const protocol = /** @type {Protocol} */ (name);
/** @type {{ peer: Peer }} */
const { peer } = await import(`./${module}`);
await (work === 'stream' ? streams() : turns());

async function streams() {
  const expected = pieces().join('').length;
  const read = peer.stream(url, protocol);
  await countOnly(async () => {
    for (let count = 0; count < COUNTED; count++) check(await read(), expected);
  });
}

async function turns() {
  const send = peer.turn?.(url, protocol, conversation(HISTORY, SHORT));
  if (!send) throw new Error(`${module} has no turns`);
  await send([]);
  const added = Array.from({ length: COUNTED }, moreTurns(SHORT));
  await countOnly(async () => {
    for (const more of added) check(await send(more), 'Yes.'.length);
  });
}

/**
 * @param {string} text
 * @param {number} expected
 */
function check(text, expected) {
  if (text.length !== expected) throw new Error(`${module}: ${text.length} characters instead of ${expected}`);
}
