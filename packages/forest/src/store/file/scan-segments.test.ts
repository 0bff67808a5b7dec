import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry, makePath, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import { diskFiles, type Files } from './disk.ts';
import { fileStore } from './file-store.ts';
import { openSegmentScan, type RecordSelection, type ScannedRecord, type SegmentScan } from './scan-segments.ts';
import { encodeBatch, headerLine, recordLine } from './segment-format.ts';
import { type TestFolder, testFolder } from './test-folder.ts';

const path = makePath(['a', 'b']);
const [first, second] = path.map(({ node }) => node);
const used = makeTake(first!, 1, { usage: { inputTokens: 1 } as never });
const unused = makeTake(second!, 2);
const title = makeRef('t', 'title', 'A title', '1');
let here: TestFolder;

beforeEach(async () => {
  here = await testFolder();
});
afterEach(() => here.remove());

/** Events are wanted, of exchanges only the place, of generations those with an id that begins with "w". */
const SELECTION: RecordSelection = {
  entry: (kind, id) =>
    kind === 'event' ? 'record' : kind === 'exchange' ? 'place' : id.startsWith('w') ? 'record' : 'skip',
  ref: { on: 'thread', name: 'title' },
  takesWith: 'usage',
};

/** What a scan gives: records, and places as the members that are known of them. */
async function scanned(scan: SegmentScan = openSegmentScan(here.folder), selection = SELECTION) {
  const found: ScannedRecord[] = [];
  let read: (StoreRecord | undefined)[];
  try {
    for await (const one of scan.records(selection)) found.push(one);
    read = await scan.read(found.map(({ place }) => place));
  } finally {
    await scan.close();
  }
  return {
    shown: found.map((one) => ('record' in one ? one.record : one.entry)),
    read,
    problems: scan.problems(),
    found,
  };
}

/** A segment of lines that are each a batch. */
function segmentOf(records: readonly StoreRecord[], header = headerLine('w')): string {
  return header + records.map(recordLine).join('');
}

describe('a scan of segments', () => {
  test('gives what is selected, in the order in which it is stored, and its place', async () => {
    const store = await here.open();
    const exchange = makeEntry('x1', { k: 'exchange', clock: '7' });
    await store.append([...toRecords(path), used, unused, title, makeRef('t', 'head', 1, '1'), makeEntry('e1')]);
    await store.append([exchange]);
    await store.append([makeRef('n', 'title', 'of a node', '1', 'node')]);
    await store.append([makeEntry('w1', { k: 'generation' }), makeEntry('o1', { k: 'generation' })]);
    await store.close();
    const { shown, read, problems } = await scanned();
    const wanted = [used, title, makeEntry('e1'), exchange, makeEntry('w1', { k: 'generation' })];
    expect(shown).toEqual(
      wanted.map((record) => (record === exchange ? { k: 'exchange', id: 'x1', clock: '7' } : record)),
    );
    expect(read).toEqual(wanted);
    expect(problems).toEqual([]);
  });

  test('gives nothing of a last batch of which a part never reached the disk, whatever that part was of', async () => {
    await mkdir(join(here.own, 'segments'), { recursive: true });
    for (const lost of [...toRecords(path).slice(0, 2), unused, makeRef('t', 'head', 1, '1'), used]) {
      const batch = [makeEntry('e1'), lost, makeRef('t', 'head', 2, '2'), title];
      const { bytes } = encodeBatch(batch, 2, segmentOf([makeEntry('e0')]));
      // From the end of one line into the next.
      const next = bytes.indexOf('{"~":"2.2.4"');
      await here.write('s.jsonl', Buffer.from(bytes).fill(0, next - 20, next + 30));
      expect((await scanned()).shown).toEqual([makeEntry('e0')]);
    }
  });

  test('gives the same of lines that others wrote, with members in another order, or with other characters', async () => {
    const odd = [
      '{"id":"e ü","clock":"1","k":"event","of":"g","order":"o","data":{}}',
      '{"k":"event","id":"é","of":"g","order":"o","clock":"1","data":{}}',
      '{"k":"exchange","clock":"3","id":"x","of":"g","order":"o","data":{}}',
      '{"k":"exchange","id":"y\\u0061","of":"g","order":"o","clock":"3","data":{}}',
      '{"k":"generation","clock":"1","id":"w","of":"g","order":"o","data":{}}',
      '{"k":"generation","clock":"1","id":"o","of":"g","order":"o","data":{}}',
      '{"k":"ref","name":"title","on":"thread","key":"k","clock":"1","value":1}',
      '{"k":"ref","name":"head","on":"thread","key":"k","clock":"1","value":1}',
      '{"k":"ref","on":"\\u006eode","key":"k","name":"title","clock":"1","value":1}',
      '{"k":"ref","on":"thread","key":"é\\"","name":"title","clock":"1","value":2}',
      `{"text":"a","k":"body","digest":"${makeBody('a').digest}"}`,
      '{"k":"later-kind","value":1}',
      JSON.stringify({ ...used, k: undefined, zz: 1 }).replace('{', '{"zy":2,"k":"take",'),
      JSON.stringify({ ...unused, k: undefined }).replace('{', '{"zy":{"usage":1},"k":"take",'),
    ];
    await mkdir(join(here.own, 'segments'), { recursive: true });
    await here.write('odd.jsonl', `{"skein":"segment","version":1,"writer":"w"}\n${odd.join('\n')}\n`);
    const { shown, problems } = await scanned();
    expect(shown.map((one) => ('id' in one ? one.id : (one as { value: unknown }).value))).toEqual([
      'e ü',
      'é',
      'x',
      'ya',
      'w',
      1,
      2,
      used.id,
    ]);
    expect(shown[2]).toEqual({ k: 'exchange', id: 'x', clock: '3' });
    expect(problems).toEqual([]);
  });

  test('does not parse what is not wanted, or of which only the place is', async () => {
    await mkdir(join(here.own, 'segments'), { recursive: true });
    const lines = [
      `{"k":"body","digest":"${makeBody('a').digest}","text":"a \\?"}`,
      `{"k":"node","id":"${first!.id}",?}`,
      `{"k":"take","id":"${unused.id}",?}`,
      '{"k":"ref","on":"thread","key":"some key","name":"head","value":?}',
      '{"k":"ref","on":"node","key":"some key","name":"title","value":?}',
      '{"k":"generation","id":"o12","of":"group","order":"first","clock":"123","data":?}',
      '{"k":"exchange","id":"x12","of":"group","order":"first","clock":"123","data":?}',
    ];
    const marked = lines.map((line, at) => line.replace('{', `{"~":"12.${at}.${lines.length}",`));
    await here.write('a.jsonl', [headerLine('w').trimEnd(), ...lines, ...marked, ''].join('\n'));
    const scan = openSegmentScan(here.folder);
    const shown = [];
    for await (const one of scan.records(SELECTION)) shown.push('entry' in one ? one.entry : one.record);
    const entry = { k: 'exchange', id: 'x12', clock: '123' };
    expect([shown, scan.problems()]).toEqual([[entry, entry], []]);
    await scan.close();
  });

  test('is not misled by members that are deeper in a record, or that are missing', async () => {
    await mkdir(join(here.own, 'segments'), { recursive: true });
    const lines = [
      '{"data":{"k":"body","z":1},"k":"event","id":"e1","of":"g","order":"o","clock":"1"}',
      '{"k":"exchange","data":{"id":"in","of":"g","order":"o","clock":"1","z":1},"id":"x1","of":"g","order":"o","clock":"2"}',
      '{"k":"ref","value":{"on":"thread","key":"k","name":"head","z":1},"on":"thread","key":"k","name":"title","clock":"1"}',
      '{"k":"later-kind","id":"w1","value":1}',
      '{"k":"later-kind","clock":"1"}',
    ];
    await here.write('a.jsonl', ['', ...lines, ''].join('\n'));
    const { shown, problems } = await scanned();
    expect(shown).toEqual([JSON.parse(lines[0]!), { k: 'exchange', id: 'x1', clock: '2' }, JSON.parse(lines[2]!)]);
    expect(problems).toEqual([]);
  });

  test('reads another project, all its segments by their names, and no other files', async () => {
    const other = { ...here, own: join(here.folder, 'projects', 'other') };
    const store = await fileStore(here.folder, { project: 'other' });
    await store.append([makeEntry('e1')]);
    await store.close();
    const segments = join(other.own, 'segments');
    const files = diskFiles();
    await files.write(join(segments, 'z.jsonl'), Buffer.from(segmentOf([makeEntry('e3')])));
    await files.write(join(segments, 'a.jsonl'), Buffer.from(segmentOf([makeEntry('e0')])));
    await files.write(join(segments, 'a.jsonl.tmp'), Buffer.from(segmentOf([makeEntry('e9')])));
    const list: Files['list'] = async (folder) => [...(await files.list(folder))].sort().reverse();
    const options = { project: 'other', files: { ...files, list } };
    const { shown, read } = await scanned(openSegmentScan(here.folder, options));
    expect(shown).toEqual([makeEntry('e0'), makeEntry('e1'), makeEntry('e3')]);
    expect(read).toEqual(shown);
    expect((await scanned()).shown).toEqual([]);
  });

  test('reads lines that are longer than a piece, and small ones behind them', async () => {
    const store = await here.open();
    const long = makeEntry('long', { data: { text: 'x'.repeat(700_000) } });
    const rest = Array.from({ length: 8 }, (_, index) =>
      makeEntry(`e${index}`, { data: { text: 'y'.repeat(90_000) } }),
    );
    await store.append([long, ...rest]);
    await store.close();
    const files = diskFiles();
    const lengths: number[] = [];
    const read: Files['read'] = (name, start, length) => {
      lengths.push(length);
      return files.read(name, start, length);
    };
    const { shown } = await scanned(openSegmentScan(here.folder, { files: { ...files, read } }));
    expect(shown).toEqual([long, ...rest]);
    expect(lengths.slice(0, 5)).toEqual([2 ** 18, 2 ** 18, 2 ** 19, 2 ** 20, 2 ** 18]);
  });

  test('reports a damaged line once, with what can still be read of it, and goes on', async () => {
    await mkdir(join(here.own, 'segments'), { recursive: true });
    const events = ['e1', 'e2', 'e3'].map((id) => makeEntry(id));
    const [head, one, two, three] = segmentOf(events).split('\n');
    const bare = two!.replace(/,"#":"[0-9a-f]{8}"/, '');
    const broken = `{"k":"take";"id":"${used.id}"}`;
    const lines = [head!, one!, '', broken, bare, '{"skein":"end"}', three!];
    await here.write('d.jsonl', `${lines.join('\n')}\n`);
    const { shown, problems } = await scanned();
    expect(shown).toEqual([events[0], events[2]]);
    const at = (line: number) => `d.jsonl:${lines.slice(0, line).join('\n').length + 1}`;
    const problem = { code: 'damaged-record', message: expect.stringContaining('not a valid record') };
    expect(problems).toEqual([
      { ...problem, where: at(3), subject: used.id },
      { ...problem, where: at(4) },
    ]);
    await here.write('d.jsonl', `${head}\n${one}?`);
    const last = await scanned();
    expect([last.shown, last.problems.map(({ where }) => where)]).toEqual([
      [events[0]],
      [`d.jsonl:${head!.length + 1}`],
    ]);
    // In a file from before checksums, a record without one is whole.
    await here.write('d.jsonl', `${[head!.replace(',"sums":"crc32"', ''), bare, ''].join('\n')}`);
    expect((await scanned()).shown).toEqual([events[1]]);
  });

  test('reports a record that is damaged when it is read, once, and at most a thousand of them', async () => {
    await mkdir(join(here.own, 'segments'), { recursive: true });
    const text = segmentOf([makeEntry('x1', { k: 'exchange' })]);
    await here.write('d.jsonl', text.replace('"data":{"id"', '"data":{"xx"'));
    const scan = openSegmentScan(here.folder);
    const places = [];
    for await (const { place } of scan.records(SELECTION)) places.push(place);
    expect(await scan.read([...places, ...places])).toEqual([undefined, undefined]);
    expect(scan.problems()).toMatchObject([{ code: 'damaged-record', where: `d.jsonl:${headerLine('w').length}` }]);
    await scan.close();
    await here.write('d.jsonl', `${headerLine('w')}${'{"k":\n'.repeat(1001)}`);
    expect((await scanned()).problems.length).toBe(1000);
  });
});

describe('a file that cannot be read by a scan', () => {
  const failing = (code: string, at: string): Files => {
    const files = diskFiles();
    const fail = async (name: string, start: number, length: number) => {
      if (name.endsWith(at)) throw Object.assign(new Error('raw'), { code, syscall: 'read', path: name });
      return files.read(name, start, length);
    };
    return { ...files, read: fail };
  };
  beforeEach(async () => {
    await mkdir(join(here.own, 'segments'), { recursive: true });
    await here.write('a.jsonl', segmentOf([makeEntry('e1')]));
    await here.write('b.jsonl', segmentOf([makeEntry('e2')]));
  });

  test('is reported, and the others are read', async () => {
    await mkdir(join(here.own, 'segments', 'aa.jsonl'));
    const { shown, problems } = await scanned();
    expect(shown).toEqual([makeEntry('e1'), makeEntry('e2')]);
    expect(problems).toEqual([
      {
        code: 'unreadable-file',
        where: 'aa.jsonl',
        message:
          'It is a folder, but a file is needed (EISDIR). The other segments were read; its records are missing.',
      },
    ]);
  });

  test('because it is gone says that the folder is being compacted', async () => {
    const wanted = {
      code: 'store_in_use',
      message: expect.stringMatching(/segments changed while it was read: another process is compacting it/),
    };
    const gone = openSegmentScan(here.folder, { files: failing('ENOENT', 'b.jsonl') });
    await expect(scanned(gone)).rejects.toMatchObject(wanted);
    const scan = openSegmentScan(here.folder, { files: failing('ENOENT', 'nothing') });
    const places = [];
    for await (const { place } of scan.records(SELECTION)) places.push(place);
    await here.remove();
    await scan.close();
    await expect(scan.read(places)).rejects.toMatchObject(wanted);
  });

  test('because of the whole machine ends the scan', async () => {
    const scan = openSegmentScan(here.folder, { files: failing('EMFILE', 'b.jsonl') });
    await expect(scanned(scan)).rejects.toMatchObject({ code: 'EMFILE' });
    const place = { segment: 1, start: 0, length: 10 };
    await expect(scan.read([place])).rejects.toMatchObject({ name: 'StoreError', code: 'store_failed' });
    await scan.close();
  });
});
