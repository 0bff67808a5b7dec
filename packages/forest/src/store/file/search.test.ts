import { describe, expect, test } from 'vitest';
import { nodeId } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import { allPages, makeBody, makeNode, makePath, type SampleNode, toRecords } from '../../testing/store-samples.ts';
import { memoryStore } from '../memory-store.ts';
import type { SearchQuery, Store } from '../store.ts';
import type { Files } from './disk.ts';
import { type FileStoreOptions, fileStore } from './file-store.ts';
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
    ['ord', 'cart'],
    ['cart', 'größer'],
    [''],
  ])('finds what the index finds, as a store in memory does: %j %j', async (...words) => {
    const { indexed, read } = await openBoth();
    const model = memoryStore();
    await model.append(toRecords(makeTexts()));
    const wanted = words.filter((word) => typeof word === 'string');
    const queries: SearchQuery[] = [
      { words: wanted },
      { words: wanted, roles: ['assistant'] },
      { words: wanted, since: 1010, until: 1030 },
    ];
    for (const query of queries) {
      const { items } = await model.search({ ...query, limit: 1000 });
      // The index tells the same scores, too.
      expect((await indexed.search({ ...query, limit: 1000 })).items).toEqual(items);
      const expected = items.map(({ id }) => id).sort();
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

  test('finds a message right after it was written, as the index does', async () => {
    const { indexed, read } = await openBoth();
    for (const store of [indexed, read]) {
      expect((await store.search({ words: [`by${store.writer}`] })).items).toEqual([]);
      await store.append(toRecords([makeNode(`written by${store.writer}`)]));
      expect((await store.search({ words: [`by${store.writer}`] })).items.length).toBe(1);
    }
    await indexed.close();
    await read.close();
  });
});

/** Texts and nodes are in segments of their own, so that the reads show how many texts are read at once. */
async function openInParts(texts: readonly string[], options: FileStoreOptions = {}) {
  const disk = createTestDisk();
  const made = texts.map((text) => rawNode(text));
  const [ofTexts, ofNodes] = [
    await fileStore('/f', { files: disk.files() }),
    await fileStore('/f', { files: disk.files() }),
  ];
  await ofTexts.append(made.map(({ body }) => body));
  await ofNodes.append(made.map(({ node }) => node));
  const path = `/f/projects/default/segments/${ofTexts.writer}.jsonl`;
  const files = disk.files();
  const events = { isTextNext: true, parts: 0, onText: undefined as (() => Promise<void>) | undefined };
  const read: Files['read'] = async (name, start, length) => {
    const bytes = await files.read(name, start, length);
    if (name === path && events.isTextNext) events.parts += 1;
    if (name.endsWith('.jsonl')) events.isTextNext = name !== path;
    const { onText } = events;
    if (name !== path || !onText) return bytes;
    events.onText = undefined;
    await onText();
    return bytes;
  };
  const store = await fileStore('/f', { files: { ...files, read }, ...options });
  events.parts = 0;
  const nodesPath = path.replace(ofTexts.writer, ofNodes.writer);
  return { store, events, path, disk, nodesPath };
}

describe.each([
  ['with an index of words', {}],
  ['without one', { searchMemory: 0 }],
])('a search %s', (_, options) => {
  const texts = (count: number) => Array.from({ length: count }, (_, at) => `yarn ${at}`);

  test.each([
    [1000, 1],
    [2001, 3],
  ])('reads %i texts in %i parts', async (count, parts) => {
    const { store, events } = await openInParts(texts(count), options);
    expect((await store.search({ words: ['yarn'], limit: 5000 })).items.length).toBe(count);
    expect(events.parts).toBe(parts);
    await store.close();
  });

  test('finds everything although all segments are read again meanwhile', async () => {
    const { store, events, path, disk } = await openInParts(texts(1100), options);
    events.onText = async () => {
      disk.replace(path);
      await store.changes();
    };
    expect((await store.search({ words: ['yarn'], limit: 5000 })).items.length).toBe(1100);
    expect(events.onText).toBe(undefined);
    await store.close();
  });

  test('finds everything after one that could not read it', async () => {
    const { store, events } = await openInParts(texts(10), options);
    events.onText = () => Promise.reject(Object.assign(new Error('raw'), { code: 'EIO', syscall: 'read' }));
    await expect(store.search({ words: ['yarn'] })).rejects.toMatchObject({ code: 'store_failed' });
    expect((await store.search({ words: ['yarn'] })).items.length).toBe(10);
    await store.close();
  });

  test('lists the newest first of those that are as good, page by page', async () => {
    const store = await fileStore('/f', { files: createTestDisk().files(), ...options });
    const made = [5, 2, 9, 7, 1, 8, 3].map((at) => makeNode(`yarn ${at}`, { at }));
    await store.append(toRecords(made));
    const sorted = made.map(({ node }) => node).sort((a, b) => b.at - a.at);
    for (const limit of [1, 2, 3, 7])
      expect(await findAll(store, { words: ['yarn'] }, limit)).toEqual(sorted.map(({ id }) => id));
    await store.close();
  });

  test('passes over a node that turns out to be damaged', async () => {
    const { store, disk, nodesPath } = await openInParts(texts(3), options);
    disk.damage(nodesPath, (bytes) => {
      bytes[bytes.lastIndexOf('"k":"node"') + 6]! ^= 1;
      return bytes;
    });
    expect((await store.search({ words: ['yarn'] })).items.length).toBe(2);
    expect(store.problems().map(({ code }) => code)).toEqual(['damaged-record']);
    await store.close();
  });

  test('looks for nothing if no word is given', async () => {
    const { store, events } = await openInParts(texts(3), options);
    for (const words of [[], [''], ['-']]) expect((await store.search({ words })).items).toEqual([]);
    if ('searchMemory' in options) expect(events.parts).toBe(0);
    await store.close();
  });

  test('passes over texts that are missing, and nodes that are only referred to', async () => {
    const [, child] = makePath(['yarn parent', 'yarn child']);
    const store = await fileStore('/f', { files: createTestDisk().files(), ...options });
    await store.append(toRecords([child!]));
    await store.append([makeNode('yarn, but not stored').node]);
    for (let times = 0; times < 2; times++)
      expect((await store.search({ words: ['yarn'] })).items.map(({ id }) => id)).toEqual([child!.node.id]);
    await store.close();
  });
});

test('reads long texts in parts that take little memory', async () => {
  const long = (letter: string) => letter.repeat(9 * 2 ** 20);
  const { store, events } = await openInParts([long('a'), long('b'), long('c'), 'yarn'], { searchMemory: 0 });
  expect((await store.search({ words: ['yarn'] })).items.length).toBe(1);
  expect(events.parts).toBe(2);
  await store.close();
});
