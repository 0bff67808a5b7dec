import { memoryStore } from '@skein/forest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/model/ids.ts';
import { makeNode, toRecords } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

const word = fc.constantFrom(
  'fox',
  'foxes',
  'Füchse',
  'a',
  'ab',
  'don’t',
  'a-b',
  'x.y@z.com',
  '你好',
  '12',
  '1.5',
  "'",
  '\\',
  ':*',
  '&',
  '😀',
);
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));

test('the same is found as in memory, whatever the words', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 8 }),
      fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
      async (texts, queries) => {
        const [store, memory] = [await used.open(), memoryStore()];
        const records = toRecords(texts.map((one, at) => makeNode(`${one} ${at}`)));
        await Promise.all([store.append(records), memory.append(records)]);
        for (const words of queries) {
          const ids = async (of: typeof store) => (await of.search({ words })).items.map(({ id }) => id).sort();
          expect(await ids(store), words.join()).toEqual(await ids(memory));
        }
        await store.close();
      },
    ),
    { numRuns: 25 },
  );
});

test('texts that are too large for a vector are stored and found by how they begin', async () => {
  const store = await used.open();
  const many = makeNode(`first ${Array.from({ length: 300_000 }, (_, at) => `w${at.toString(36)}x`).join(' ')}`);
  const long = makeNode(`begin ${'QUJD'.repeat(50_000)} end`);
  const often = makeNode('again '.repeat(40_000));
  await store.append(toRecords([many, long, often]));
  const found = async (...words: string[]) => (await store.search({ words })).items.map(({ id }) => id);
  expect(await found('first')).toEqual([many.node.id]);
  expect(await found('begin', 'end')).toEqual([long.node.id]);
  expect(await found('QUJD'.repeat(50_000))).toEqual([long.node.id]);
  expect(await found('again')).toEqual([often.node.id]);
  expect(await store.bodies([many.body.digest])).toEqual([many.body.text]);
});

test('projects do not find each other’s words, and names of projects may be anything', async () => {
  const names = ['', 'a b', "'; drop table skein_node; --", 'a\0b', '\ud800', 'ä/😀'];
  const stores = await Promise.all(names.map((name) => used.open(name)));
  for (const [at, store] of stores.entries()) await store.append(toRecords([makeNode(`shared only${at}`)]));
  for (const [at, store] of stores.entries()) {
    expect((await store.search({ words: ['shared'] })).items.length, names[at]!).toBe(1);
    expect((await store.search({ words: [`only${(at + 1) % names.length}`] })).items).toEqual([]);
    expect((await store.scan()).items.length).toBe(1);
  }
});

/** Two names whose digests begin alike, so that their words have the same mark. */
function findNamesOfOneMark(): [string, string] {
  const names = new Map<string, string>();
  for (let at = 0; ; at++) {
    const name = `mark ${at}`;
    const mark = sha256(name).slice(0, 6);
    const other = names.get(mark);
    if (other !== undefined) return [other, name];
    names.set(mark, name);
  }
}

test('a project does not find the words of another that has the same mark by chance', async () => {
  const names = findNamesOfOneMark();
  const [one, two] = [await used.open(names[0]), await used.open(names[1])];
  const shared = makeNode('in both');
  await one.append(toRecords([shared, makeNode('both in one', { at: 1 })]));
  await two.append(toRecords([shared]));
  const found = async (limits: object) => (await two.search({ words: ['both'], ...limits })).items.map(({ id }) => id);
  expect(await found({})).toEqual([shared.node.id]);
  expect(await found({ since: 0 })).toEqual([shared.node.id]);
});
