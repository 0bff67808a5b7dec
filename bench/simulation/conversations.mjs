// Conversations of many programs, as exchanges on the wire, each with the truth: which conversation it belongs to, which reply it
// follows, and by what a reader of the rules could know that.
import { Talk } from './talk.mjs';
import { APPS, chance, question } from './world.mjs';

/** @import { App } from './world.mjs' */

/**
 * @typedef {object} SimulatedExchange
 * @property {number} index
 * @property {0 | 1} server
 * @property {number} at when it really started
 * @property {number} start the same by the clock of its server
 * @property {number} end
 * @property {number} arrives when it is stored, by the clock of the simulation
 * @property {string} url
 * @property {readonly (readonly [string, string])[]} headers
 * @property {string} body
 * @property {string} reply
 * @property {number} status
 * @property {'done' | 'cut'} outcome
 * @property {string | undefined} thread
 * @property {Truth} truth
 */

/**
 * @typedef {object} Truth
 * @property {App} app
 * @property {string} conversation
 * @property {string | undefined} program the session that the program says it belongs to
 * @property {string | undefined} system
 * @property {readonly string[]} replies keys of what it answers; whoever has the same key cannot be told apart
 * @property {readonly string[]} follows keys of which one has to be in its thread; none when it opens a conversation
 * @property {string} evidence `name`, `proof`, `words` or `retry`; else why there is none
 */

/** How much the second server's clock is ahead. */
export const SKEW_MS = 3000;
/** In the middle of it all: dates in system texts change while people speak. */
const MIDNIGHT = Date.UTC(2026, 10, 17);

/**
 * @param {{ seed: number, conversations: number, users: number, skew?: number }} options
 * @returns {SimulatedExchange[]} in the order of their starts
 */
export function simulate({ seed, conversations, users, skew = SKEW_MS }) {
  /** @type {SimulatedExchange[]} */
  const exchanges = [];
  const by = chance(seed);
  const span = conversations * 2000;
  let number = 0;
  while (number < conversations) {
    const app = by.one(APPS);
    const user = by.between(0, users);
    const at = MIDNIGHT - Math.floor(span / 2) + by.between(0, span);
    const session = by.id(16);
    const opening = question(by, true);
    // Some programs send the same twice, side by side.
    for (let twin = by.is(0.03) ? 2 : 1; twin > 0 && number < conversations; twin--)
      new Talk({
        app,
        user,
        at: at + twin * 7,
        session,
        by: chance(seed * 1_000_003 + number),
        name: `c${number++}`,
        exchanges,
        span,
        skew,
      }).run(opening);
  }
  exchanges.sort((a, b) => a.start - b.start || a.index - b.index);
  return exchanges;
}
