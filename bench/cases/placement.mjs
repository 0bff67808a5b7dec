// What placing recorded exchanges costs, against an older release that is built in another folder: the same exchanges, in
// memory, placed by both in turn.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { simulate } from '../simulation/conversations.mjs';
import { recordAll } from '../simulation/record.mjs';

/** @import { Contestant } from '../measure.mjs' */

const own = new URL('../../packages/forest/dist/index.js', import.meta.url).href;

/**
 * @param {string} checkout of the older release, built
 * @param {{ skew?: number, conversations?: number }} [options] how much the clocks of two servers differ
 * @returns {Promise<{ contestants: Contestant[], exchanges: number }>}
 */
export async function placementCase(checkout, { skew = 0, conversations = 200 } = {}) {
  const packages = {
    floor: await import(pathToFileURL(join(checkout, 'packages/forest/dist/index.js')).href),
    skein: await import(own),
  };
  const recorded = await recordAll(simulate({ seed: 7, conversations, users: 50, skew }), packages.skein);
  const contestants = Object.entries(packages).map(([name, { createForest, memoryStore, reproject }]) => ({
    name,
    prepare: async () => {
      const store = memoryStore();
      for (const { records } of recorded) await store.append(records);
      return createForest(store);
    },
    run: (/** @type {unknown} */ forest) => reproject(forest),
  }));
  return { contestants, exchanges: recorded.length };
}
