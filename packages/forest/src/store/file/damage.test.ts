import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createForest } from '../../forest/index.ts';
import { makeBody, makeEntry, makePath, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import type { Store } from '../store.ts';
import { diskFiles } from './disk.ts';
import { readRecordLog } from './record-log.ts';
import { openSegmentScan } from './scan-segments.ts';
import { type TestFolder, testFolder } from './test-folder.ts';

/** `npm run torture` asks for more. */
const TIMES = Number(process.env.SKEIN_KILLS ?? 20);

const path = makePath(['one', 'zwei, größer', 'three']);
const ids = path.map(({ node }) => node.id);
const digests = path.map(({ body }) => body.digest);
const texts = path.map(({ body }) => body.text);
const loose = makeBody('{"envelope":true}');
const take = makeTake(path[2]!.node, 5, { envelope: loose.digest, model: 'm', params: { temperature: 0.5 } });
const odd = { k: 'later-kind', id: 7, value: 1 };
let here: TestFolder;

beforeEach(async () => {
  here = await testFolder();
});
afterEach(() => here.remove());

/** A small store with every kind of record, as its one segment. */
async function smallStore(): Promise<{ name: string; bytes: Buffer }> {
  const store = await here.open();
  await store.append([...toRecords(path), loose, take]);
  await store.append([makeRef('t', 'title', 'A title', '1'), makeEntry('e1'), odd as never]);
  await store.append([makeRef('t', 'head', ids[2], '2')]);
  await store.close();
  const [name] = await here.names();
  return { name: name!, bytes: await readFile(join(here.own, 'segments', name!)) };
}

/** Everything that a reader is given. */
async function shown(store: Store) {
  return {
    nodes: await store.nodes(ids),
    path: await store.path(ids[2]!),
    texts: await store.bodies([...digests, loose.digest]),
    takes: await store.takes(ids),
    refs: (await store.refs({ on: 'thread' })).items,
    entries: (await store.entries('event')).items,
  };
}

describe('a bit that flips on the disk', () => {
  test('never changes a text, keeps nothing else from being read, and is seen by fsck unless all is as it was', async () => {
    const { name, bytes } = await smallStore();
    const before = await here.open();
    const whole = await shown(before);
    const sound = await before.check();
    await before.close();
    expect(sound).toEqual([]);
    const flip = async (bit: number) => {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      await here.write(name, flipped);
      const store = await here.open();
      const found = await shown(store);
      for (const [index, text] of found.texts.entries())
        expect([undefined, whole.texts[index]], `bit ${bit}`).toContain(text);
      for (const record of [...found.nodes, ...found.takes, ...found.refs, ...found.entries])
        if (record !== undefined)
          expect([...whole.nodes, ...whole.takes, ...whole.refs, ...whole.entries]).toContainEqual(record);
      const problems = await createForest(store).fsck();
      if (problems.length === 0) expect(found, `bit ${bit}`).toEqual(whole);
      await store.close();
    };
    // All of them would take minutes.
    const bits = fc.sample(fc.nat(bytes.length * 8 - 1), TIMES * 12);
    for (const bit of bits) await flip(bit);
  });

  test('is answered by the same text from another segment, and the text can be written again', async () => {
    const { name, bytes } = await smallStore();
    const damaged = bytes.toString().replace('größer', 'größes');
    await here.write(name, damaged);
    const store = await here.open();
    expect(await store.bodies(digests)).toEqual([texts[0], undefined, texts[2]]);
    const [problem] = store.problems();
    expect(problem).toMatchObject({ code: 'wrong-hash', subject: digests[1] });
    expect(problem!.where).toBe(`${name}:${Buffer.from(damaged).indexOf(`{"~":"1.2.8","k":"body"`)}`);
    await store.append([path[1]!.body]);
    expect(await store.bodies(digests)).toEqual(texts);
    await store.close();
    const again = await here.open();
    expect(await again.bodies(digests)).toEqual(texts);
    await again.close();
    expect(await here.read(name)).toBe(damaged);
  });

  test('is not packed away: the original is set aside, never over another', async () => {
    const { name, bytes } = await smallStore();
    const damaged = bytes.toString().replace('größer', 'größes');
    for (const round of [1, 2]) {
      await here.write(name, damaged);
      const store = await here.open();
      const { setAside } = await store.compact(() => true);
      expect(setAside).toEqual([join(here.own, 'set-aside', round === 1 ? name : `${name}.2`)]);
      expect(await store.bodies(digests)).toEqual([texts[0], undefined, texts[2]]);
      await store.close();
      for (const file of await readdir(join(here.own, 'set-aside')))
        expect(await readFile(join(here.own, 'set-aside', file), 'utf8')).toBe(damaged);
    }
  });

  test('in a register is seen, and the value before it is not brought back', async () => {
    const { name, bytes } = await smallStore();
    await here.write(name, bytes.toString().replace('A title', 'B title'));
    const store = await here.open();
    expect((await store.refs({ on: 'thread', names: ['title'] })).items).toEqual([]);
    expect(store.problems()).toMatchObject([{ code: 'damaged-record' }]);
    await store.close();
  });

  test('behind a snapshot is noticed when the text is read', async () => {
    const store = await here.open();
    const large = makeBody('x'.repeat(300_000));
    await store.append([...toRecords(path), large]);
    await store.close();
    expect(await readdir(join(here.own, 'index'))).toEqual(['snapshot']);
    const [name] = await here.names();
    await here.write(name!, (await here.read(name!)).replace('größer', 'größes'));
    const again = await here.open();
    expect(await again.bodies(digests)).toEqual([texts[0], undefined, texts[2]]);
    await again.close();
  });
});

describe('a bit that flips in the last batch of a writer that was killed', () => {
  /** A segment whose last batch has a line of each kind, without the line that says that its writer ended. */
  async function killedWriter() {
    const store = await here.open();
    await store.append(toRecords(path.slice(0, 2)));
    await store.append([...toRecords(path.slice(2)), take, makeRef('t', 'title', 'A title', '1'), makeEntry('e1')]);
    await store.close();
    const [name] = await here.names();
    const bytes = Buffer.from((await here.read(name!)).replace('{"skein":"end"}\n', ''));
    return { name: name!, bytes, lines: lastLines(bytes) };
  }

  /** Where the lines of the last batch are, with their line feeds. */
  function lastLines(bytes: Buffer): { start: number; end: number }[] {
    const lines = [];
    for (let start = bytes.indexOf('{"~":"2.'); start < bytes.length; start = lines.at(-1)!.end)
      lines.push({ start, end: bytes.indexOf(10, start) + 1 });
    return lines;
  }

  /** Every bit of the marks and of the line feeds, and some of the rest. */
  function chooseBits(lines: readonly { start: number; end: number }[]): number[] {
    const parts = lines.flatMap(({ start, end }) => [start + 6, start + 8, start + 10, end - 1]);
    const others = fc.sample(fc.integer({ min: lines[0]!.start * 8, max: lines.at(-1)!.end * 8 - 1 }), TIMES * 3);
    return [...parts.flatMap((byte) => Array.from({ length: 8 }, (_, bit) => byte * 8 + bit)), ...others];
  }

  function flip(bytes: Buffer, bit: number): Buffer {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    return flipped;
  }

  /** The lines that may be missing: the one with the bit; also the next one, if they are no longer apart. */
  function touched(lines: readonly { start: number; end: number }[], bit: number): number[] {
    const line = lines.findIndex(({ end }) => bit >> 3 < end);
    return bit >> 3 === lines[line]!.end - 1 ? [line, line + 1] : [line];
  }

  const kinds = ['body', 'node', 'take', 'ref', 'entry'];

  test('hides nothing else, and fsck names it', async () => {
    const { name, bytes, lines } = await killedWriter();
    expect(lines.length).toBe(kinds.length);
    for (const bit of chooseBits(lines)) {
      await here.write(name, flip(bytes, bit));
      const store = await here.open();
      const found = [
        (await store.bodies([digests[2]!]))[0],
        (await store.nodes([ids[2]!]))[0],
        (await store.takes([ids[2]!]))[0],
        (await store.refs({ on: 'thread' })).items[0],
        (await store.entries('event')).items[0],
      ];
      const missing = kinds.filter((_, line) => found[line] === undefined);
      const mayMiss = touched(lines, bit).map((line) => kinds[line]);
      expect(
        missing.filter((kind) => !mayMiss.includes(kind)),
        `bit ${bit}`,
      ).toEqual([]);
      expect(await store.bodies(digests.slice(0, 2)), `bit ${bit}`).toEqual(texts.slice(0, 2));
      expect((await store.nodes(ids.slice(0, 2))).map((node) => node?.id)).toEqual(ids.slice(0, 2));
      const problems = await store.check();
      // The mark of a line has no checksum: the records may all be as they were.
      if (missing.length > 0) expect(problems.length, `bit ${bit}`).toBeGreaterThan(0);
      for (const { where } of problems) expect(where.startsWith(name)).toBe(true);
      await store.close();
    }
  });

  test('hides nothing else from a scan or a log', async () => {
    const { name, bytes, lines } = await killedWriter();
    for (const bit of chooseBits(lines)) {
      await here.write(name, flip(bytes, bit));
      const scan = openSegmentScan(here.folder);
      const scanned: (string | undefined)[] = [];
      const selection = {
        entry: () => 'record' as const,
        ref: { on: 'thread', name: 'title' },
        takesWith: 'model',
      } as const;
      for await (const one of scan.records(selection)) if ('record' in one) scanned.push(one.record.k);
      const logged: string[] = [];
      const files = diskFiles();
      const log = readRecordLog(files, join(here.own, 'segments', name));
      let step = await log.next();
      for (; !step.done; step = await log.next()) logged.push(...step.value.map(({ k }) => k));
      const mayMiss = touched(lines, bit).map((line) => ['body', 'node', 'take', 'ref', 'event'][line]);
      const missing = (kinds: readonly string[], from: readonly unknown[]) =>
        kinds.filter((kind) => !from.includes(kind) && !mayMiss.includes(kind));
      expect(missing(['take', 'ref', 'event'], scanned), `bit ${bit}`).toEqual([]);
      expect(missing(['take', 'ref', 'event'], logged), `bit ${bit}`).toEqual([]);
      const count = (kind: string) => logged.filter((one) => one === kind).length;
      expect([count('body'), count('node')].every((there, line) => there === 3 || mayMiss.includes(kinds[line]))).toBe(
        true,
      );
      if (logged.length < 9) expect(step.value).toBeGreaterThan(0);
      await Promise.all([scan.close(), files.close()]);
    }
  });

  test('is no reason to believe a batch of which a part never reached the disk', async () => {
    const { name, bytes, lines } = await killedWriter();
    for (const [line, { start, end }] of lines.entries()) {
      const gap = Buffer.from(bytes).fill(0, start + 20, line + 1 < lines.length ? end + 5 : end - 1);
      await here.write(name, gap);
      const store = await here.open();
      expect(await store.bodies([digests[2]!])).toEqual([undefined]);
      expect([await store.nodes([ids[2]!]), await store.takes([ids[2]!])]).toEqual([[undefined], []]);
      expect([(await store.refs({ on: 'thread' })).items, (await store.entries('event')).items]).toEqual([[], []]);
      expect((await store.path(ids[1]!)).length).toBe(2);
      expect((await store.check()).length).toBeGreaterThan(0);
      await store.close();
    }
  });
});

describe('a segment from before checksums', () => {
  test('is read, and its texts are checked', async () => {
    const { name } = await smallStore();
    const old = (await here.read(name)).replaceAll(/,"#":"[0-9a-f]{8}"/g, '').replace(',"sums":"crc32"', '');
    await here.write(name, old);
    const store = await here.open();
    expect(await store.check()).toEqual([]);
    expect((await store.refs({ on: 'thread' })).items.length).toBe(2);
    expect(await store.takes([ids[2]!])).toEqual([take]);
    await store.close();
    await here.write(name, old.replace('größer', 'größes'));
    const changed = await here.open();
    expect(await changed.bodies(digests)).toEqual([texts[0], undefined, texts[2]]);
    await changed.close();
  });

  test('may stand in one file with one that has them', async () => {
    const { name } = await smallStore();
    const now = await here.read(name);
    const old = now.replaceAll(/,"#":"[0-9a-f]{8}"/g, '').replace(',"sums":"crc32"', '');
    for (const both of [now + old, old + now]) {
      await writeFile(join(here.own, 'segments', name), both);
      const store = await here.open();
      expect(await store.check()).toEqual([]);
      expect(store.problems()).toEqual([]);
      await store.close();
    }
  });
});

describe('packing', () => {
  test('keeps the numbers of records that nobody knows, to the letter', async () => {
    const { name, bytes } = await smallStore();
    const lines = [
      '{"k":"later","n":12345678901234567890}',
      '{"k":"later","n":12345678901234567891}',
      '{"k":"later","n":1.50}',
    ];
    await here.write('later.jsonl', `{"skein":"segment","version":1,"writer":"later"}\n${lines.join('\n')}\n`);
    await here.write(name, bytes);
    const store = await here.open();
    await store.compact(() => true);
    await store.close();
    const [packed] = await here.names();
    const text = await here.read(packed!);
    for (const line of lines) expect(text).toContain(line.slice(0, -1));
  });

  test('refuses a newer format, as appending does, and leaves every file as it is', async () => {
    const { name, bytes } = await smallStore();
    const newer = bytes.toString().replace('"version":1', '"version":2');
    await here.write(name, newer);
    const store = await here.open();
    await expect(store.compact(() => true)).rejects.toMatchObject({ code: 'store_read_only' });
    await expect(createForest(store).gc()).rejects.toMatchObject({ code: 'store_read_only' });
    await store.close();
    expect(await here.names()).toEqual([name]);
    expect(await here.read(name)).toBe(newer);
  });
});
