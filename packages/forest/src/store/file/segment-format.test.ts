import { expect, test } from 'vitest';
import { sha256 } from '../../model/ids.ts';
import { type EntryRecord, packLazily, packWith, type StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry, makeNode, makeRef, makeTake } from '../../testing/store-samples.ts';
import {
  copyLine,
  END_LINE,
  encodeBatch,
  endOfLine,
  findMark,
  findSubject,
  headerLine,
  LineEncoder,
  lacksSum,
  readLine,
  readSegmentLine,
  recordLine,
} from './segment-format.ts';

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');

const node = makeNode('a').node;

/** Long texts, with pairs at every distance from where they are cut into pieces. */
const TEXTS = [
  ascii.repeat(40),
  'plain words '.repeat(1000),
  '東京 "é" \\ '.repeat(900),
  '🙂'.repeat(5000),
  `a${'🙂'.repeat(5000)}`,
  `${'x'.repeat(5000)}\ud83d`,
  `\udc00${'"'.repeat(5000)}`,
];

function bodyOf(text: string): StoreRecord {
  return { k: 'body', digest: sha256(text), text };
}

function partOf(text: string, more: object = {}): StoreRecord {
  return { k: 'exchange', id: 'x/request', of: 'x', order: 'request', clock: '1', data: { text, ...more } };
}

test('a long text is written as JSON.stringify writes it', () => {
  for (const text of TEXTS) {
    const lines = encodeBatch([bodyOf(text), partOf(text), partOf(text, { marks: [[1, 2]], at: 3 })], 1)
      .bytes.toString()
      .split('\n');
    expect(lines[0]).toContain(`"text":${JSON.stringify(text)}}`);
    expect(lines[1]).toContain(`"data":${JSON.stringify({ text })},"#"`);
    expect(lines[2]).toContain(`"data":${JSON.stringify({ text, marks: [[1, 2]], at: 3 })},"#"`);
    for (const line of lines.slice(0, -1)) expect(readLine(Buffer.from(line))?.record).toBeDefined();
  }
});

test('a record with a long text is written as JSON.stringify writes it, wherever the text is', () => {
  const text = 'plain words '.repeat(1000);
  const entry = { k: 'event', id: 'e', of: 'o', order: '1', clock: '1' };
  const odd: object[] = [
    { ...entry, data: { marks: 1, text } },
    { ...entry, data: { text }, more: 1 },
    { ...entry, data: { text: Array.from({ length: 3000 }, (_, at) => at) } },
    { ...entry, data: { text: { length: 3000 } } },
    { ...entry, data: { text: 3000 } },
    { ...entry, data: {} },
    { ...entry, data: null },
    entry,
    { k: 'later', data: { text } },
    { k: 'later', first: 1, second: 2 },
    { ...node, data: { text } },
    { ...makeRef('t', 'n', 1, '1'), data: { text } },
    { ...makeTake(node, 1), data: { text } },
  ];
  for (const record of odd as StoreRecord[]) {
    const json = JSON.stringify(record);
    expect(recordLine(record).replace(/,"#":"[0-9a-f]{8}"\}\n$/, '}')).toBe(json);
  }
});

test('characters of three bytes have room in the buffer', () => {
  const records = Array.from({ length: 9 }, (_, at) => makeEntry(`e${at}`, { data: { said: '東'.repeat(1900) } }));
  const lines = encodeBatch(records, 1).bytes.toString().split('\n');
  expect(lines.slice(0, -1).map((line) => readLine(Buffer.from(line))?.record)).toEqual(records);
});

test('a text that is not decoded yet is written as the same line', () => {
  for (const text of [...TEXTS.map((one) => one.toWellFormed()), 'short']) {
    const lazy = (more: object): StoreRecord => ({
      ...(partOf('') as EntryRecord),
      data: packWith(packLazily(Buffer.from(text)), more) as Record<string, unknown>,
    });
    for (const more of [{}, { marks: [[1, 2]], at: 3, nested: { marks: 1, other: 2 } }])
      expect(encodeBatch([lazy(more)], 1).bytes.equals(encodeBatch([partOf(text, more)], 1).bytes)).toBe(true);
  }
});

test('an encoder writes the same for a batch, whatever it wrote before', () => {
  const encoder = new LineEncoder();
  for (const text of [...TEXTS, 'short', 'x'.repeat(3_000_000), 'short']) {
    const records = [bodyOf(text), partOf(text)];
    const { bytes, lengths } = encodeBatch(records, 7, 'header\n', encoder);
    const fresh = encodeBatch(records, 7, 'header\n');
    expect(bytes.equals(fresh.bytes)).toBe(true);
    expect(lengths).toEqual(fresh.lengths);
  }
});

test('a batch is a header and one line for each record, with its place among them if there are several', () => {
  const records = [makeBody('a "text"'), node, makeEntry('e1')];
  const { bytes, lengths } = encodeBatch(records, 12, headerLine('w1'));
  const [header, ...lines] = bytes.toString().split('\n');
  expect(END_LINE).toBe('{"skein":"end"}\n');
  expect(header).toBe('{"skein":"segment","version":1,"writer":"w1","sums":"crc32"}');
  expect(lines[0]).toBe(`{"~":"12.0.3","k":"body","digest":"${makeBody('a "text"').digest}","text":"a \\"text\\""}`);
  expect(lines[1]).toMatch(/^\{"~":"12\.1\.3","k":"node",.*,"#":"[0-9a-f]{8}"\}$/);
  expect(lines[3]).toBe('');
  expect(lengths).toEqual(lines.slice(0, 3).map((line) => line.length + 1));
  expect(encodeBatch([makeEntry('e1')], 12).bytes.toString()).toMatch(/^\{"k":"event","id":"e1",/);
});

test('a record is read as it was written, with its mark, whether it has a checksum, and its exact text', () => {
  const more = { ...makeBody('a'), more: 1 } as StoreRecord;
  for (const record of [makeBody('a'), more, node, makeTake(node, 1), makeRef('t', 'n', [1], '1'), makeEntry('e1')]) {
    const text = JSON.stringify(record);
    const hasSum = record.k !== 'body' || record === more;
    const alone = readLine(Buffer.from(recordLine(record).trimEnd()));
    expect(alone).toEqual({ record, mark: undefined, text, hasSum });
    const [line] = encodeBatch([record, record], 3).bytes.toString().split('\n');
    expect(readLine(Buffer.from(line!))).toEqual({ record, mark: { batch: 3, line: 0, lines: 2 }, text, hasSum });
    expect(lacksSum(alone!)).toBe(false);
    expect(copyLine(alone!)).toBe(recordLine(record));
  }
  const bare = readLine(Buffer.from(JSON.stringify(node)))!;
  expect([bare.hasSum, lacksSum(bare)]).toEqual([false, true]);
  expect(copyLine(bare)).toBe(recordLine(node));
});

test.each([
  ['no JSON', '{"k":"later",}'],
  ['no object', '[{"k":"later"}]'],
  ['no record', '{"k":1}'],
  ['nothing', ''],
  ['null', 'null'],
  ['a text', '"k"'],
  ['a first character that is no brace', '#"k":"later"}'],
  ['a checksum, and a first character that is no brace', `#${recordLine(makeEntry('e1')).trimEnd().slice(1)}`],
  ['a last character that is no brace', '{"k":"later"]'],
  ['a wrong checksum', recordLine(makeEntry('e1')).trimEnd().replace('"e1"', '"e2"')],
  ['a mark behind the end of its batch', '{"~":"1.2.2","k":"later"}'],
])('a line with %s is no record', (_, line) => {
  expect(readLine(Buffer.from(line))).toBeUndefined();
});

test('a line of others may have any order, and a checksum only at its end', () => {
  expect(readLine(Buffer.from('{"n":1,"k":"later"}'))).toMatchObject({ text: '{"n":1,"k":"later"}', hasSum: false });
  // Such a member would be taken for ours.
  expect(readLine(Buffer.from('{"#":"00000000","k":"later"}'))).toBeUndefined();
  expect(readLine(Buffer.from('{"k":"later","#":"0000000"}'))).toBeUndefined();
  expect(readLine(Buffer.from('{"~":"x","k":"later"}'))).toBeUndefined();
});

test.each([
  ['{"~":"1.0.2","k":', { batch: 1, line: 0, lines: 2 }],
  ['{"~":"123.45.67",', { batch: 123, line: 45, lines: 67 }],
  ['{"~":"1.1.2",', { batch: 1, line: 1, lines: 2 }],
  ['{"~":"1.2.2",', undefined],
  [' {"~":"1.0.2",', undefined],
  ['{"~":"1.0.2"}', undefined],
  ['{"~":"1.0",', undefined],
  ['{"~":"a.0.2",', undefined],
  ['{"k":"later"}', undefined],
])('the mark of %s', (line, mark) => {
  expect(findMark(line)).toEqual(mark);
});

test.each([
  ['{"skein":"segment","version":1,"writer":"w","sums":"crc32"}', { version: 1, writer: 'w', hasSums: true }],
  ['{"skein":"segment","version":2,"writer":"w"}', { version: 2, writer: 'w', hasSums: false }],
  ['{"skein":"segment","version":1,"writer":"w","sums":"md5"}', { version: 1, writer: 'w', hasSums: false }],
  ['{"skein":"segment","version":0,"writer":"w"}', undefined],
  ['{"skein":"segment","version":1.5,"writer":"w"}', undefined],
  ['{"skein":"segment","version":"1","writer":"w"}', undefined],
  ['{"skein":"segment","version":1}', undefined],
  ['{"skein":"segment","version":1,"writer":1}', undefined],
  ['{"skein":"end"}', 'other'],
  ['{"skein":"later","more":1}', 'other'],
  ['{"skein":"end"', undefined],
  ['{"version":1,"skein":"segment","writer":"w"}', undefined],
  ['{"k":"later"}', undefined],
])('%s about the segment', (line, said) => {
  expect(readSegmentLine(Buffer.from(line))).toEqual(said);
});

test.each([
  [`{"k":"node","id":"${'a1'.repeat(20)}","parent"`, 'a1'.repeat(20)],
  [`{"k":"body","digest":"${'0f'.repeat(32)}","text"`, '0f'.repeat(32)],
  [`{"k":"take","id":"${'a'.repeat(32)}","x"`, 'a'.repeat(32)],
  [`{"k":"take","id":"${'a'.repeat(31)}","x"`, undefined],
  [`{"k":"take","id":"${'a'.repeat(65)}","x"`, undefined],
  [`{"k":"take","id":"${'g'.repeat(32)}","x"`, undefined],
  [`{"k":"take","it":"${'a'.repeat(32)}","x"`, undefined],
  [`${' '.repeat(250)}"id":"${'a'.repeat(32)}"`, undefined],
])('what %s is about', (line, subject) => {
  expect(findSubject(Buffer.from(line))).toBe(subject);
});

test('a line ends with its line feed, or with what became of it behind a whole record', () => {
  const line = recordLine(makeEntry('e1')).trimEnd();
  const end = (text: string, start = 0) => endOfLine(Buffer.from(text), start);
  expect(end(`${line}\n${line}\n`)).toBe(line.length);
  expect(end(`${line}\n${line}\n`, line.length + 1)).toBe(line.length * 2 + 1);
  expect(end(`${line}\n${line}`, line.length + 1)).toBe(-1);
  expect(end(`${line}\n${line}?`, line.length + 1)).toBe(line.length * 2 + 1);
  expect(end(`${line}\n${line}\0`, line.length + 1)).toBe(-1);
  expect(end(`${line}\n${line.slice(1)}?`, line.length + 1)).toBe(-1);
  expect(end(`${line}??`)).toBe(-1);
  expect(end('')).toBe(-1);
  expect(end('\n')).toBe(0);
});

test('an encoder does not keep a buffer for a batch that was large', () => {
  const encoder = new LineEncoder();
  const room = (bytes: number) => {
    encoder.begin();
    return encoder.makeRoom(bytes).length;
  };
  expect(room(1)).toBe(2 ** 14);
  expect(room(2 ** 14)).toBe(2 ** 14);
  expect(room(2 ** 14 + 1)).toBe(2 ** 15);
  expect(room(2 ** 22)).toBe(2 ** 22);
  expect(room(1)).toBe(2 ** 22);
  expect(room(2 ** 22 + 1)).toBe(2 ** 23);
  expect(room(1)).toBe(2 ** 14);
});
