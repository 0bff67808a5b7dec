import { describe, expect, test } from 'vitest';
import type { NodeRecord } from '../../model/records.ts';
import { allPages, makeNode, type SampleNode, toRecords } from '../../testing/store-samples.ts';
import type { SearchQuery, Store } from '../store.ts';
import { fileStore } from './file-store.ts';
import { createTestDisk } from './test-disk.ts';

const WORDS = [
  'cart',
  'Price',
  'café',
  'cafeteria',
  'order',
  'Ordnung',
  '天気予報',
  'x1',
  'größer',
  'total\nitems',
  'e\u0301t\u00e9',
];

function makeTexts(): SampleNode[] {
  const made: SampleNode[] = [];
  let parent: NodeRecord | undefined;
  for (let index = 0; index < 120; index++) {
    const count = 1 + ((index * 7) % 9);
    const words = Array.from({ length: count }, (_, at) => WORDS[(index * index + at * 5) % WORDS.length]);
    const role = index % 3 === 0 ? ('assistant' as const) : ('user' as const);
    const one = makeNode(`${index} ${words.join(' ')}`, { role, at: 1000 + (index % 50), ...(parent && { parent }) });
    made.push(one);
    parent = index % 11 === 0 ? undefined : one.node;
  }
  return made;
}

async function openBoth() {
  const disk = createTestDisk();
  const indexed = await fileStore('/f', { files: disk.files() });
  await indexed.append(toRecords(makeTexts()));
  const read = await fileStore('/f', { files: disk.files(), searchMemory: 0 });
  return { indexed, read };
}

async function findAll(store: Store, query: SearchQuery, limit: number): Promise<string[]> {
  return (await allPages((page) => store.search({ ...query, ...page }), limit)).map(({ id }) => id);
}

describe('a search without an index of words', () => {
  test.each([
    ['cart'],
    ['order'],
    ['ord'],
    ['cafe'],
    ['CAFÉ'],
    ['cart', 'order'],
    ['price', 'caf'],
    ['天気'],
    ['報'],
    ['größer'],
    ['grosser'],
    ['items'],
    ['ete'],
    ['12'],
    ['nothing'],
    ['cart', 'nothing'],
    [''],
  ])('finds what the index finds: %j %j', async (...words) => {
    const { indexed, read } = await openBoth();
    const wanted = words.filter((word) => typeof word === 'string');
    const queries: SearchQuery[] = [
      { words: wanted },
      { words: wanted, roles: ['assistant'] },
      { words: wanted, since: 1010, until: 1030 },
    ];
    for (const query of queries) {
      const expected = (await findAll(indexed, query, 1000)).sort();
      for (const limit of [7, 1000]) {
        const found = await findAll(read, query, limit);
        expect(new Set(found).size).toBe(found.length);
        expect(found.sort()).toEqual(expected);
      }
    }
    await indexed.close();
    await read.close();
  });

  test('lists the best first, and goes on where a page ended', async () => {
    const { indexed, read } = await openBoth();
    const query = { words: ['cart', 'order'] };
    const whole = (await read.search({ ...query, limit: 1000 })).items;
    expect(whole.length).toBeGreaterThan(10);
    for (const [index, { score }] of whole.entries())
      if (index > 0) expect(score).toBeLessThanOrEqual(whole[index - 1]!.score);
    expect(await findAll(read, query, 3)).toEqual(whole.map(({ id }) => id));
    await indexed.close();
    await read.close();
  });

  test('finds a message right after it was written', async () => {
    const { indexed, read } = await openBoth();
    await read.append(toRecords([makeNode('a zebra')]));
    expect((await read.search({ words: ['zebra'] })).items.length).toBe(1);
    await indexed.close();
    await read.close();
  });
});
