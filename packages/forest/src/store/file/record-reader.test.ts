import { expect, test } from 'vitest';
import type { StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry } from '../../testing/store-samples.ts';
import type { StoreProblem } from '../store.ts';
import { createRecordReader } from './record-reader.ts';
import { recordLine } from './segment-format.ts';
import type { RecordPlace } from './tables/rows.ts';

/** Segments in memory, with what was read of them and what was damaged. */
function createReader() {
  const segments: Buffer[] = [];
  const reads: string[] = [];
  const damaged: [RecordPlace, Omit<StoreProblem, 'where'>][] = [];
  const reader = createRecordReader(
    async (segment, start, length) => {
      reads.push(`${segment}:${start}+${length}`);
      return segments[segment]!.subarray(start, start + length);
    },
    (place, problem) => damaged.push([place, problem]),
  );
  /** Puts records into a segment, each behind a gap, and returns their places. */
  const put = (records: readonly (StoreRecord | string)[], { segment = 0, gap = 0 } = {}): RecordPlace[] =>
    records.map((record) => {
      const line = Buffer.from(typeof record === 'string' ? record : recordLine(record).trimEnd());
      const before = segments[segment] ?? Buffer.alloc(0);
      segments[segment] = Buffer.concat([before, Buffer.alloc(gap, ' '), line]);
      return { segment, start: before.length + gap, length: line.length };
    });
  return { ...reader, reads, damaged, put };
}

/** A record whose line has this length. */
function sized(length: number, id: string): StoreRecord {
  const empty = recordLine(makeEntry(id, { data: { x: '' } })).length - 1;
  return makeEntry(id, { data: { x: 'x'.repeat(length - empty) } });
}

test('records come in the order of their places, and each is read once', async () => {
  const { read, put, reads } = createReader();
  const records = ['e1', 'e2', 'e3'].map((id) => makeEntry(id));
  const [one, two, three] = put(records);
  expect(await read([three, undefined, one])).toEqual([records[2], undefined, records[0]]);
  expect(reads).toEqual([`0:0+${three!.start + three!.length}`]);
  expect(await read([one, two, three, two])).toEqual([records[0], records[1], records[2], records[1]]);
  expect(reads.slice(1)).toEqual([`0:${two!.start}+${two!.length}`]);
  expect(await read([])).toEqual([]);
});

test('a record that was just written is not read', async () => {
  const { read, keep, put, reads } = createReader();
  const [place] = put([makeEntry('e1')]);
  keep(place!, makeEntry('e1'));
  expect(await read([place])).toEqual([makeEntry('e1')]);
  expect(reads).toEqual([]);
  // The same offset in another segment is another record.
  const [other] = put([makeEntry('e2')], { segment: 1 });
  expect(await read([other])).toEqual([makeEntry('e2')]);
  const [far] = put([makeEntry('e3')], { gap: 2 ** 22 });
  const [alike] = put([makeEntry('e4')], { segment: 1, gap: far!.start - other!.length });
  expect(alike!.start).toBe(far!.start);
  for (const place of [far, alike]) await read([place]);
  expect(await read([far, alike])).toEqual([makeEntry('e3'), makeEntry('e4')]);
});

test('neighbours are read together, but not across large gaps, in large pieces, or from several segments', async () => {
  const near = createReader();
  const places = near.put([makeEntry('e1'), makeEntry('e2')], { gap: 16 * 1024 });
  await near.read(places);
  expect(near.reads.length).toBe(1);
  const far = createReader();
  const apart = far.put([makeEntry('e1'), makeEntry('e2')], { gap: 16 * 1024 + 1 });
  expect(await far.read(apart)).toEqual([makeEntry('e1'), makeEntry('e2')]);
  expect(far.reads).toEqual(apart.map(({ start, length }) => `0:${start}+${length}`));
  const large = createReader();
  await large.read(large.put([sized(2 ** 21, 'a'), sized(2 ** 21, 'b'), sized(2 ** 21, 'c')]));
  expect(large.reads).toEqual([`0:0+${2 ** 22}`, `0:${2 ** 22}+${2 ** 21}`]);
  const later = createReader();
  later.put([sized(2 ** 21, 'first')]);
  await later.read(later.put([sized(2 ** 21, 'a'), sized(2 ** 21, 'b')]));
  expect(later.reads).toEqual([`0:${2 ** 21}+${2 ** 22}`]);
  const several = createReader();
  const [first] = several.put([makeEntry('e1')]);
  const others = several.put([makeEntry('e2'), makeEntry('e3')], { segment: 1 });
  await several.read([others[1], first, others[0]]);
  expect(several.reads).toEqual([`0:0+${first!.length}`, `1:0+${others[1]!.start + others[1]!.length}`]);
});

test('the cache holds four to eight megabytes of what was used last, and no record of a megabyte', async () => {
  const { read, put, reads } = createReader();
  const mega = 2 ** 20;
  const places = put([
    sized(mega, 'a'),
    sized(mega, 'b'),
    sized(mega, 'c'),
    sized(mega, 'd'),
    sized(mega + 1, 'large'),
  ]);
  const again = async (index: number) => {
    const before = reads.length;
    await read([places[index]]);
    return reads.length - before;
  };
  expect([await again(4), await again(4)]).toEqual([1, 1]);
  for (const index of [0, 1, 2, 3]) expect(await again(index)).toBe(1);
  // These four fill the young generation, which is then the old one.
  for (const index of [0, 1, 2, 3]) expect(await again(index)).toBe(0);
  const more = put([sized(mega, 'e'), sized(mega, 'f'), sized(mega, 'g')]);
  await read(more);
  expect(await again(0)).toBe(0);
  const [last] = put([sized(mega, 'h')]);
  await read([last]);
  expect(await again(0)).toBe(1);
  const before = reads.length;
  await read([more[0]]);
  expect(reads.length).toBe(before);
});

test('a damaged line or a wrong text is reported with its place, and the others are read', async () => {
  const { read, lines, put, damaged } = createReader();
  const body = makeBody('a text');
  const wrong = recordLine(body).replace('a text', 'b text').trimEnd();
  const broken = `{"k":"node","id":"${'a'.repeat(40)}"`;
  const places = put([makeEntry('e1'), wrong, broken, body]);
  expect(await read(places)).toEqual([makeEntry('e1'), undefined, undefined, body]);
  const expected = [
    [
      places[1],
      {
        code: 'wrong-hash',
        message: `The text of body ${body.digest} does not match its digest.`,
        subject: body.digest,
      },
    ],
    [places[2], { code: 'damaged-record', message: expect.any(String), subject: 'a'.repeat(40) }],
  ];
  expect(damaged).toEqual(expected);
  damaged.length = 0;
  const found = await lines([places[1]!, places[3]!, places[2]!, places[0]!]);
  expect(found.map(({ record }) => record)).toEqual([body, makeEntry('e1')]);
  expect(damaged).toEqual(expected);
});

test('a node whose id does not match is left to the check of all', async () => {
  const { read, put, damaged } = createReader();
  const record = { k: 'take', id: 'a'.repeat(32), node: 'b'.repeat(40), at: 1 } as StoreRecord;
  expect(await read(put([record]))).toEqual([record]);
  expect(damaged).toEqual([]);
});
