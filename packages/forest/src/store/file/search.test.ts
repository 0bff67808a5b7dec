import { describe, expect, test } from 'vitest';
import { nodeId } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import { allPages, makeBody, makeNode, type SampleNode, toRecords } from '../../testing/store-samples.ts';
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

/** A node whose body has this text. */
function rawNode(text: string): SampleNode {
  const { node } = makeNode(text);
  const body = makeBody(text);
  return { node: { ...node, body: body.digest, id: nodeId(node.parent, node.dialect, body.digest) }, body };
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

  test('finds words in capital letters and in escape sequences', async () => {
    const { indexed, read } = await openBoth();
    const escaped = rawNode(String.raw`{"role":"user","content":[{"type":"text","text":"a \u007aebra, ZEBU"}]}`);
    await read.append(toRecords([escaped]));
    for (const words of [['zebra'], ['zebu'], ['Zebra', 'zeb']])
      expect(
        (await read.search({ words })).items.map(({ id }) => id),
        words.join(),
      ).toEqual([escaped.node.id]);
    await indexed.close();
    await read.close();
  });

  test('weighs rare words more than common ones, and hits in short texts more than in long ones', async () => {
    const disk = createTestDisk();
    const store = await fileStore('/f', { files: disk.files(), searchMemory: 0 });
    const made = ['yarn', 'yarn yarn and a long tail', 'wool and yarn', 'Yarnball'].map((text) => makeNode(text));
    await store.append(toRecords([...made, makeNode('nothing')]));
    const rarity = (having: number) => Math.log(1 + 5 / having);
    const weight = (count: number, length: number) => count / (count + 0.5 + length / 100);
    const scores = async (...words: string[]) => {
      const { items } = await store.search({ words });
      const texts = new Map(made.map(({ node }, at) => [node.id, at]));
      return items.map(({ id, score }) => [texts.get(id), Number(score.toFixed(9))]);
    };
    const score = (at: number, ...parts: number[]) => [at, Number(parts.reduce((a, b) => a + b).toFixed(9))];
    expect(await scores('yarn')).toEqual(
      [
        score(1, rarity(4) * weight(2, 6)),
        score(3, rarity(4) * weight(1, 1)),
        score(0, rarity(4) * weight(1, 1)),
        score(2, rarity(4) * weight(1, 3)),
      ].sort(
        ([a, one], [b, two]) =>
          two! - one! || made[b!]!.node.at - made[a!]!.node.at || (made[a!]!.node.id < made[b!]!.node.id ? -1 : 1),
      ),
    );
    expect(await scores('wool', 'yarn')).toEqual([score(2, rarity(1) * weight(1, 3), rarity(4) * weight(1, 3))]);
    // A word that is not the last one is no beginning, although a text may have its letters.
    expect(await scores('yarn', 'and')).toEqual([
      score(1, rarity(4) * weight(2, 6), rarity(2) * weight(1, 6)),
      score(2, rarity(4) * weight(1, 3), rarity(2) * weight(1, 3)),
    ]);
    await store.close();
  });

  test('finds a message right after it was written', async () => {
    const { indexed, read } = await openBoth();
    await read.append(toRecords([makeNode('a zebra')]));
    expect((await read.search({ words: ['zebra'] })).items.length).toBe(1);
    await indexed.close();
    await read.close();
  });
});
