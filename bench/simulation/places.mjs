// The placements in a store, and everything about them that users can see.

/** @import { Recorded } from './record.mjs' */

const limit = Number.MAX_SAFE_INTEGER;

/**
 * @param {any} store
 * @param {readonly Recorded[]} recorded
 */
export async function readPlaces(store, recorded) {
  const [landed, refs] = await Promise.all([
    store.refs({ on: 'forest', names: ['landed'], limit }),
    store.refs({ on: 'thread', limit }),
  ]);
  /** @type {Map<string, { thread?: string, node?: string, parent?: string }>} */
  const landings = new Map(landed.items.map((/** @type {any} */ { key, value }) => [key, value]));
  /** @type {Map<string, string>} */
  const sessions = new Map();
  /** @type {Map<string, Record<string, unknown>>} */
  const threads = new Map();
  for (const { key, name, value } of refs.items) {
    if (name === 'session') sessions.set(key, String(value));
    if (value !== false) threads.set(key, { ...threads.get(key), [name]: value });
  }
  const places = new Map(
    recorded.map(({ exchange, id }) => {
      const { thread } = landings.get(id) ?? {};
      return [exchange.index, { thread, session: sessions.get(thread ?? '') }];
    }),
  );
  return {
    landings,
    placeOf: (/** @type {number} */ index) => places.get(index) ?? { thread: undefined, session: undefined },
    threads,
  };
}

/**
 * How many exchanges and threads two stores have at different places.
 * @param {Awaited<ReturnType<typeof readPlaces>>} a
 * @param {Awaited<ReturnType<typeof readPlaces>>} b
 */
export function countDifferences(a, b) {
  let count = 0;
  for (const [id, { thread, node, parent }] of a.landings) {
    const other = b.landings.get(id);
    if (other?.thread !== thread || other?.node !== node || other?.parent !== parent) count += 1;
  }
  for (const [id, { head, deleted }] of a.threads) if (!deleted && b.threads.get(id)?.head !== head) count += 1;
  return count;
}
