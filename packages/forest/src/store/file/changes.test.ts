import { beforeEach, expect, test } from 'vitest';
import type { StoreRecord } from '../../model/records.ts';
import { makeEntry, makeNode, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import type { Store } from '../store.ts';
import type { Files } from './disk.ts';
import { fileStore } from './file-store.ts';
import { recordLine } from './segment-format.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

let disk: TestDisk;
beforeEach(() => {
  disk = createTestDisk();
});

const open = (change: Partial<Files> = {}) => fileStore('/f', { files: { ...disk.files(), ...change } });
const sample = makeNode('a node');
const records: StoreRecord[] = [
  ...toRecords([sample]),
  makeTake(sample.node, 1),
  makeRef('t', 'title', 'x', '1'),
  makeEntry('e1'),
];

/** Lists what has changed each time it is asked. */
async function follow(store: Store) {
  let { next: after } = await store.changes();
  return async () => {
    const { items, next, reset } = await store.changes(after);
    after = next;
    return reset ? 'everything' : items.map(({ kind, key }) => `${kind} ${key}`);
  };
}

const replace = ({ writer }: Store) => disk.replace(`/f/projects/default/segments/${writer}.jsonl`);

test('a record that is written is a change, for its writer and for others, but for texts', async () => {
  const writer = await open();
  await writer.append([makeEntry('before')]);
  const reader = await open();
  const [ofWriter, ofReader] = [await follow(writer), await follow(reader)];
  await writer.append(records);
  const keys = [`node ${sample.node.id}`, `take ${makeTake(sample.node, 1).id}`, 'ref thread/t/title', 'event e1'];
  expect([await ofWriter(), await ofReader()]).toEqual([keys, keys]);
  await writer.append(records);
  expect([await ofWriter(), await ofReader()]).toEqual([[], []]);
  for (const store of [writer, reader]) await store.close();
});

test('whoever watches is told once of what is new, and not when nothing is', async () => {
  const [writer, reader] = [await open(), await open()];
  const told = { writer: 0, reader: 0 };
  writer.watch(() => told.writer++);
  reader.watch(() => told.reader++);
  const look = async () => {
    for (let times = 0; times < 3; times++) for (const store of [writer, reader]) await store.changes();
    return told;
  };
  expect(await look()).toEqual({ writer: 0, reader: 0 });
  await writer.append([makeEntry('e1')]);
  expect(await look()).toEqual({ writer: 1, reader: 1 });
  await writer.append([makeEntry('e1')]);
  expect(await look()).toEqual({ writer: 1, reader: 1 });
  replace(writer);
  expect(await look()).toEqual({ writer: 1, reader: 2 });
  await disk.files().remove(`/f/projects/default/segments/${writer.writer}.jsonl`);
  await reader.changes();
  expect(told.reader).toBe(3);
  for (const store of [writer, reader]) await store.close();
});

test('when all segments were read again, everything may have changed, and then only what is new', async () => {
  const [writer, reader] = [await open(), await open()];
  await writer.append(records);
  const changed = await follow(reader);
  replace(writer);
  expect(await changed()).toBe('everything');
  expect(await changed()).toEqual([]);
  const another = await open();
  await another.append([makeEntry('e2')]);
  expect(await changed()).toEqual(['event e2']);
  for (const store of [writer, reader, another]) await store.close();
});

test('a reader that is more than 20,000 records behind reads everything again, and then only what is new', async () => {
  const [writer, reader] = [await open(), await open()];
  const [first, second] = [makeNode('first words'), makeNode('second words')];
  await writer.append(toRecords([first]));
  const { next } = await reader.changes();
  expect((await reader.search({ words: ['words'] })).items.length).toBe(1);
  const refs = Array.from({ length: 20_001 }, (_, index) => makeRef(`t${index}`, 'title', index, '1'));
  await writer.append([...toRecords([second]), ...refs]);
  const behind = await reader.changes(next);
  expect(behind).toMatchObject({ items: [], reset: true });
  expect((await reader.search({ words: ['words'] })).items.length).toBe(2);
  expect((await reader.refs({ on: 'thread', keys: ['t7', 't20000'] })).items.length).toBe(2);
  await writer.append([makeRef('t7', 'title', 'new', '2')]);
  const later = await reader.changes(behind.next);
  expect(later).toMatchObject({ items: [{ kind: 'ref', key: 'thread/t7/title' }], reset: false });
  for (const store of [writer, reader]) await store.close();
});

test('an append looks for what others wrote only if it does not know a parent', async () => {
  let looks = 0;
  const files = disk.files();
  const list: Files['list'] = (folder) => {
    looks += 1;
    return files.list(folder);
  };
  const store = await open({ list });
  looks = 0;
  await store.append(toRecords([sample]));
  await store.append(toRecords([makeNode('below', { parent: sample.node }), makeNode('another')]));
  expect(looks).toBe(0);
  await store.append([makeNode('below it', { parent: makeNode('unknown').node }).node]);
  expect(looks).toBeGreaterThan(0);
  await store.close();
});

test('a check reads what was added to the segment of a program that has ended, also right after it was looked at', async () => {
  const ended = await open();
  await ended.append([makeEntry('e1')]);
  const segment = `/f/projects/default/segments/${ended.writer}.jsonl`;
  await ended.close();
  const store = await open();
  for (let times = 0; times < 2; times++) await store.changes();
  const changed = await follow(store);
  disk.damage(segment, (bytes) => Buffer.concat([bytes, Buffer.from(recordLine(makeEntry('e2')))]));
  expect(await store.check()).toEqual([]);
  expect(await changed()).toEqual(['event e2']);
  await store.close();
});
