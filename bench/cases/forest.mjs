// The file store against the least that any store has to do. The package is taken from where it was built.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { user } from '@skein/core';
import { makeForest, makeHistory, makeMessage, ROOT, sha256 } from '../data/records.mjs';
import { prose, random } from '../data/words.mjs';
import { jsonLines } from './json-lines.mjs';

/** @import { Contestant } from '../measure.mjs' */
/** @import { Made } from '../data/records.mjs' */

const { createForest, fileStore } = await import(new URL('../../packages/forest/dist/index.js', import.meta.url).href);

const APPENDS = 2000;
const IN_FLIGHT = 64;
/** @type {string[]} */
const folders = [];
/** @type {{ close(): Promise<unknown> }[]} */
const opened = [];

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  folders.push(folder);
  return folder;
}

/** Closes what the earlier cases have left open. */
export async function tidy() {
  for (const one of opened.splice(0)) await one.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/** @typedef {{ append(records: readonly unknown[]): Promise<unknown> }} Target */

/**
 * @param {Target} target
 * @param {readonly Made[]} made
 * @param {number} inFlight
 */
async function appendAll(target, made, inFlight) {
  const rest = made.values();
  const work = async () => {
    for (const { records } of rest) await target.append(records);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

/**
 * @param {readonly Made[]} made
 * @returns {Promise<any>} a store that holds these
 */
async function filled(made) {
  const store = await fileStore(newFolder());
  opened.push(store);
  for (let start = 0; start < made.length; start += 5000)
    await store.append(made.slice(start, start + 5000).flatMap(({ records }) => records));
  return store;
}

/**
 * One message per append, against JSON lines and Maps.
 * @param {{ inFlight?: number, count?: number }} [options]
 * @returns {Promise<Contestant[]>}
 */
export async function appendCase({ inFlight = IN_FLIGHT, count = APPENDS } = {}) {
  const floor = await jsonLines(join(newFolder(), 'floor.jsonl'));
  const store = await fileStore(newFolder());
  opened.push(floor, store);
  return [
    { name: 'floor', prepare: () => makeHistory(count), run: (made) => appendAll(floor, made, inFlight) },
    { name: 'skein', prepare: () => makeHistory(count), run: (made) => appendAll(store, made, inFlight) },
  ];
}

/**
 * The same appends to a small and to a large forest, deep below others and beside many.
 * @returns {Promise<Contestant[]>}
 */
export async function sizeCase() {
  const small = await filled(makeForest(1000));
  const large = await filled(makeForest(100_000));
  const path = makeHistory(10_000);
  const deep = await filled(path);
  const siblings = Array.from({ length: 10_000 }, () => makeMessage(ROOT, 1));
  const wide = await filled(siblings);
  const below = () => Array.from({ length: APPENDS }, () => makeMessage(path.at(-1)?.id ?? ROOT, 10_001));
  const beside = () => Array.from({ length: APPENDS }, () => makeMessage(ROOT, 1));
  return [
    { name: 'floor', prepare: beside, run: (made) => appendAll(small, made, IN_FLIGHT) },
    { name: '100,000 nodes', prepare: beside, run: (made) => appendAll(large, made, IN_FLIGHT) },
    { name: '10,000 deep', prepare: below, run: (made) => appendAll(deep, made, IN_FLIGHT) },
    { name: '10,000 siblings', prepare: beside, run: (made) => appendAll(wide, made, IN_FLIGHT) },
  ];
}

/**
 * Finding a history of 1,000 messages, exactly and by its echo, among 10,000 histories that begin beside it.
 * @returns {Promise<Contestant[]>}
 */
export async function matchCase() {
  const store = await filled(Array.from({ length: 10_000 }, () => makeMessage(ROOT, 1)));
  const forest = createForest(store);
  const next = random(5);
  const said = Array.from({ length: 1000 }, () => prose(next, 400 + next() * 1400));
  const history = () => said.map((text) => user(text));
  const texts = history().map(({ raw }) => raw);
  await forest.append(ROOT, history());
  // The same words in another spelling: none of the ids is the same.
  const respelt = () =>
    said.map((text) =>
      user([
        { type: 'text', text: '' },
        { type: 'text', text },
      ]),
    );
  const check = async (/** @type {any} */ messages, /** @type {string} */ by) => {
    const found = await forest.match(messages);
    if (found.matched !== 1000 || found.by !== by) throw new Error(`${found.matched} matched by ${found.by}`);
    return { messages, found };
  };
  return [
    { name: 'floor', run: () => texts.map((text) => sha256(text)) },
    { name: 'exact', prepare: history, run: (messages) => check(messages, 'exact') },
    { name: 'echo', prepare: respelt, run: (messages) => check(messages, 'echo') },
  ];
}

/**
 * Opening 100,000 nodes, with a snapshot of the index and without, against reading and parsing the file.
 * @returns {Promise<Contestant[]>}
 */
export async function openCase() {
  const folder = newFolder();
  const made = makeForest(100_000);
  const store = await fileStore(folder);
  for (let start = 0; start < made.length; start += 5000)
    await store.append(made.slice(start, start + 5000).flatMap(({ records }) => records));
  await store.close();
  const own = join(folder, 'projects', 'default');
  const path = join(own, 'segments', readdirSync(join(own, 'segments'))[0] ?? '');
  const snapshot = join(own, 'index');
  const open = async () => {
    const again = await fileStore(folder);
    if ((await again.deepest([made.at(-1)?.id])) !== 0) throw new Error('the last node is not there');
    return again;
  };
  /** @type {any} */
  let last;
  const closed = async () => {
    await last?.close();
    last = undefined;
  };
  const reopen = async () => {
    last = await open();
  };
  opened.push({ close: closed });
  return [
    {
      name: 'floor',
      prepare: closed,
      run: () =>
        readFileSync(path, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)).length,
    },
    { name: 'snapshot', prepare: closed, run: reopen },
    {
      name: 'no snapshot',
      prepare: async () => {
        await closed();
        rmSync(snapshot, { recursive: true });
      },
      run: reopen,
    },
  ];
}

/**
 * A path of 10,000 nodes and its texts, against reading and parsing the file that has them.
 * @returns {Promise<Contestant[]>}
 */
export async function pathCase() {
  const folder = newFolder();
  const made = makeHistory(10_000);
  const store = await fileStore(folder);
  await store.append(made.flatMap(({ records }) => records));
  await store.close();
  const own = join(folder, 'projects', 'default', 'segments');
  const path = join(own, readdirSync(own)[0] ?? '');
  const read = async (/** @type {any} */ again) => {
    const nodes = await again.path(made.at(-1)?.id);
    const texts = await again.bodies(nodes.map((/** @type {any} */ node) => node.body));
    if (nodes.length !== 10_000 || texts.at(-1) !== made.at(-1)?.text) throw new Error('not the path');
    await again.close();
  };
  return [
    {
      name: 'floor',
      run: () =>
        readFileSync(path, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)).length,
    },
    { name: 'skein', prepare: () => fileStore(folder), run: read },
  ];
}

/**
 * Bytes of memory per node of an opened store, with its body and its take.
 * @param {number} total
 */
export async function memoryPerNode(total) {
  const folder = newFolder();
  const store = await fileStore(folder, { durability: 'os' });
  for (let start = 0; start < total; start += 5000)
    await store.append(makeForest(5000).flatMap(({ records }) => records));
  await store.close();
  const used = async () => {
    // The memory of buffers is released a moment after they were collected.
    for (let times = 0; times < 3; times++) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = await used();
  const saved = await fileStore(folder);
  const fromSnapshot = ((await used()) - before) / total;
  await saved.close();
  rmSync(join(folder, 'projects', 'default', 'index'), { recursive: true });
  const again = await used();
  const rebuilt = await fileStore(folder);
  const fromSegments = ((await used()) - again) / total;
  await rebuilt.close();
  return { total, fromSnapshot, fromSegments };
}
