// Projects with conversations of 20 messages, and the queries on them.
import { history, texts, turn } from '../data/forest.mjs';
import { importOfForest } from '../postgres-server.mjs';

/** @typedef {import('@skein/forest').Store} Store */

export const MEASURES = 50;

const LENGTH = 20;
const BATCH = 50;
const WRITERS = 16;

/** @type {typeof import('@skein/forest') & typeof import('@skein/forest/store')} */
const forest = { ...(await importOfForest('@skein/forest')), ...(await importOfForest('@skein/forest/store')) };

/**
 * @param {any} pool
 * @param {number} nodes
 * @param {number} projects
 * @param {(done: number) => void} onProgress
 */
export async function fillProjects(pool, nodes, projects, onProgress) {
  const names = Array.from({ length: projects }, (_, index) => `project-${index}`);
  const stores = await Promise.all(names.map((project) => forest.postgresStore(pool, { project })));
  const before = performance.now();
  let done = 0;
  const fill = async (/** @type {Store} */ store, /** @type {number} */ seed) => {
    const next = texts(seed);
    for (let own = 0; own < nodes / projects; own += LENGTH * BATCH) {
      const talks = Array.from({ length: BATCH }, () => history(forest, LENGTH, next));
      await store.append(talks.flat().flatMap(({ records }) => records));
      done += LENGTH * BATCH;
      if (done % 100_000 === 0) onProgress(done);
    }
  };
  await Promise.all(stores.map((store, index) => fill(store, index + 1)));
  return { stores, seconds: (performance.now() - before) / 1000 };
}

/**
 * @param {readonly Store[]} stores
 * @returns {Promise<{ name: string, run(): Promise<unknown> }[]>}
 */
export async function questions(stores) {
  const store = /** @type {Store} */ (stores[0]);
  const fresh = texts(990);
  const known = history(forest, 1000, texts(991));
  await store.append(known.flatMap(({ records }) => records));
  const unknown = history(forest, 1000, texts(992));
  const last = known.at(-1)?.node.id ?? forest.ROOT;
  const appendTo = (/** @type {Store} */ one) => one.append(turn(forest, fresh()).records);
  return [
    { name: 'append one message', run: () => appendTo(store) },
    {
      name: `append ${WRITERS} at once, in as many connections`,
      run: () =>
        Promise.all(Array.from({ length: WRITERS }, (_, index) => appendTo(stores[index % stores.length] ?? store))),
    },
    { name: 'match 1,000 messages, exact', run: () => store.deepest(known.map(({ node }) => node.id)) },
    {
      name: 'match 1,000 messages, by echo',
      run: () =>
        store.byEcho(
          known.map(({ node }) => node.echo),
          forest.ROOT,
        ),
    },
    { name: 'match 1,000 messages, none known', run: () => store.deepest(unknown.map(({ node }) => node.id)) },
    { name: 'path of 1,000', run: () => store.path(last) },
    { name: 'texts of 100', run: () => store.bodies(known.slice(0, 100).map(({ node }) => node.body)) },
    { name: "first 100 of the root's children", run: () => store.children(forest.ROOT, { limit: 100 }) },
    { name: 'scan of 1,000', run: () => store.scan({ limit: 1000 }) },
    { name: 'search, a rare phrase', run: () => store.search({ words: ['1', '4242'], limit: 20 }) },
    { name: 'search, a common word', run: () => store.search({ words: ['word17'], limit: 20 }) },
    { name: 'news since a moment ago', run: newsOf(store) },
  ];
}

/** @param {Store} store */
function newsOf(store) {
  /** @type {string | undefined} */
  let cursor;
  return async () => {
    cursor ??= (await store.changes()).next;
    await store.append(turn(forest, `news ${Math.random()}`).records);
    cursor = (await store.changes(cursor)).next;
  };
}
