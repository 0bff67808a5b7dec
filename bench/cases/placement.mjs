// What placing recorded exchanges costs, against an older release that is built in another folder: the same exchanges, in
// memory, placed by both in turn.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prose, random } from '../data/words.mjs';
import { simulate } from '../simulation/conversations.mjs';
import { recordAll } from '../simulation/record.mjs';
import { WIRE } from '../simulation/wire.mjs';
import { APPS } from '../simulation/world.mjs';

/** @typedef {(typeof WIRE)[string]} Wire */
/** @import { SimulatedExchange } from '../simulation/conversations.mjs' */
/** @import { Said } from '../simulation/wire.mjs' */
/** @import { App } from '../simulation/world.mjs' */
/** @import { Contestant } from '../measure.mjs' */

const own = new URL('../../packages/forest/dist/index.js', import.meta.url).href;

/**
 * @typedef {object} Workload
 * @property {string} name
 * @property {() => SimulatedExchange[]} make
 */

/** @type {readonly Workload[]} */
export const WORKLOADS = [
  { name: 'conversations of 25 turns, requests of 7 kB', make: longConversations },
  { name: 'many short conversations', make: () => simulate({ seed: 7, conversations: 150, users: 50, skew: 0 }) },
  { name: 'the same by two clocks', make: () => simulate({ seed: 7, conversations: 150, users: 50 }) },
];

/**
 * @param {string} checkout of the older release, built
 * @param {Workload} workload
 * @returns {Promise<Contestant[]>}
 */
export async function placementCase(checkout, { make }) {
  const packages = {
    floor: await import(pathToFileURL(join(checkout, 'packages/forest/dist/index.js')).href),
    skein: await import(own),
  };
  const recorded = await recordAll(make(), packages.skein);
  return Object.entries(packages).map(([name, { createForest, memoryStore, reproject }]) => ({
    name,
    prepare: async () => {
      const store = memoryStore();
      for (const { records } of recorded) await store.append(records);
      return createForest(store);
    },
    run: (/** @type {unknown} */ forest) => reproject(forest),
  }));
}

/** Ten people with one app each, as long as those of coding agents: the last of their requests has 13 kB. */
function longConversations() {
  const next = random(5);
  /** @type {SimulatedExchange[]} */
  const exchanges = [];
  const app = /** @type {App} */ (APPS[6]);
  for (let person = 0; person < 10; person++) {
    /** @type {Said[]} */
    const said = [];
    for (let turn = 0; turn < 25; turn++) {
      said.push({ role: 'user', text: prose(next, 120) });
      /** @type {Said} */
      const reply = { role: 'assistant', text: prose(next, 320) };
      const system = `You help person ${person}. ${prose(random(person), 700)}`;
      const start = Date.UTC(2026, 10, 16) + turn * 60_000 + person * 1000;
      exchanges.push({
        index: exchanges.length,
        server: 0,
        at: start,
        start,
        end: start + 500,
        arrives: start + 500,
        url: /** @type {Wire} */ (WIRE.chat).url,
        headers: [],
        body: JSON.stringify({
          .../** @type {Wire} */ (WIRE.chat).body({ said, system, hasTools: true, model: 'm' }),
          user: `p${person}`,
        }),
        reply: JSON.stringify(/** @type {Wire} */ (WIRE.chat).reply(`${person}-${turn}`, [reply])),
        status: 200,
        outcome: 'done',
        thread: undefined,
        truth: {
          app,
          conversation: `c${person}`,
          program: undefined,
          system,
          replies: [],
          follows: [],
          evidence: 'words',
        },
      });
      said.push(reply);
    }
  }
  return exchanges;
}
