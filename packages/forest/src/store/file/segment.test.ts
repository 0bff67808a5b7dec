import { describe, expect, test } from 'vitest';
import type { StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry, makeRef } from '../../testing/store-samples.ts';
import type { StoreProblem } from '../store.ts';
import {
  addDamaged,
  addLine,
  completeBatch,
  completeUpTo,
  createBatches,
  createSegment,
  damagedLine,
  readSegment,
  type Segment,
} from './segment.ts';
import { END_LINE, encodeBatch, headerLine, recordLine } from './segment-format.ts';
import { PageCache } from './tables/pages.ts';
import { createTables, recordPlace } from './tables/tables.ts';
import { createTestDisk } from './test-disk.ts';

/** What follows from lines in their order: `2.0.3` is line 0 of 3 of batch 2, `-` has no mark, and `!` is damaged. */
function valid(...lines: string[]): string[] {
  const batches = createBatches<string>();
  return lines.map((line, start) => {
    const [, text = ''] = /^!(.*)$/.exec(line) ?? [];
    if (line === '|') return completeBatch(batches).join(' ');
    if (line.startsWith('!')) return addDamaged(batches, Buffer.from(text), start).join(' ');
    const [batch, number, count] = line.split('.').map(Number);
    const mark = line === '-' ? undefined : { batch: batch!, line: number!, lines: count! };
    return addLine(batches, mark, line).join(' ');
  });
}

describe('the lines of a batch', () => {
  test('count when all of them are there, in whatever order', () => {
    expect(valid('1.0.3', '1.1.3', '1.2.3')).toEqual(['', '', '1.0.3 1.1.3 1.2.3']);
    expect(valid('1.1.4', '1.0.4', '1.2.4', '1.3.4')).toEqual(['', '', '', '1.1.4 1.0.4 1.2.4 1.3.4']);
    expect(valid('1.0.3', '2.0.3', '1.1.3', '2.1.3', '2.2.3')).toEqual(['', '1.0.3', '2.0.3', '1.1.3', '2.1.3 2.2.3']);
    expect(valid('1.0.2', '1.1.2', '1.0.2', '1.1.2')).toEqual(['', '1.0.2 1.1.2', '', '1.0.2 1.1.2']);
  });

  test('count when something later follows, or when the last one is there', () => {
    expect(valid('1.0.3', '-')).toEqual(['', '1.0.3 -']);
    expect(valid('1.0.3', '2.0.2')).toEqual(['', '1.0.3']);
    expect(valid('1.0.3', '|')).toEqual(['', '1.0.3']);
    expect(valid('1.0.3', '1.2.3')).toEqual(['', '1.0.3 1.2.3']);
    expect(valid('1.2.3')).toEqual(['1.2.3']);
    // Lines that were shuffled by a merge follow their last one.
    expect(valid('1.2.3', '1.0.3', '1.1.3', '1.0.3')).toEqual(['1.2.3', '1.0.3', '1.1.3', '']);
  });

  test('do not count while some are missing at the end', () => {
    expect(valid('1.0.3', '1.1.3')).toEqual(['', '']);
    expect(valid('1.0.4', '!{"~":"1.1.4","k', '1.1.4')).toEqual(['', '', '']);
  });

  test('count when a line in the place of the last one cannot be read', () => {
    expect(valid('1.0.3', '1.1.3', '!{"~":"1.2.3",?')).toEqual(['', '', '1.0.3 1.1.3']);
    expect(valid('1.0.3', '1.1.3', '!?')).toEqual(['', '', '1.0.3 1.1.3']);
    expect(valid('1.0.3', '1.1.3', '!?', '1.2.3')).toEqual(['', '', '1.0.3 1.1.3', '1.2.3']);
    expect(valid('1.0.3', '1.1.3', '1.0.3')).toEqual(['', '', '1.0.3 1.1.3 1.0.3']);
    // Two lines in one, because the line feed between them was changed.
    expect(valid('1.0.3', '!{"~":"1.1.3","k":1}?{"~":"1.2.3","k":1}')).toEqual(['', '1.0.3']);
    expect(valid('1.0.3', '!{"~":"2.0.2",?')).toEqual(['', '1.0.3']);
    // A line without a mark is the only one of its batch.
    expect(valid('1.0.3', '!{"k":?')).toEqual(['', '1.0.3']);
    expect(valid('1.0.3', '!?')).toEqual(['', '']);
    expect(valid('!?')).toEqual(['']);
  });

  test('do not count behind bytes that never reached the disk', () => {
    expect(valid('1.0.3', '!{"~":"1.1\0\0', '1.2.3')).toEqual(['', '', '']);
    expect(valid('!\0\0', '1.1.3', '1.2.3')).toEqual(['', '', '']);
    expect(valid('1.0.3', '!\0', '1.1.3', '!?')).toEqual(['', '', '', '']);
    expect(valid('1.0.3', '!\0', '-')).toEqual(['', '', '1.0.3 -']);
    // What follows was written later, so it is not torn by them.
    expect(valid('!\0', '-', '1.0.3', '1.2.3')).toEqual(['', '-', '', '1.0.3 1.2.3']);
    expect(valid('!\0', '1.0.2', '1.1.2', '2.1.2')).toEqual(['', '', '1.0.2 1.1.2', '2.1.2']);
    expect(valid('!\0', '|', '1.1.2')).toEqual(['', '', '1.1.2']);
  });
});

const HEAD = headerLine('w1');

/** Reads segments of a disk into tables, with what was found. */
function createReader() {
  const disk = createTestDisk();
  const files = disk.files();
  const reads: [start: number, length: number][] = [];
  const tables = createTables(new PageCache(files, '/f/index', 2 ** 20));
  const found: StoreRecord[] = [];
  const problems: StoreProblem[] = [];
  const segment: Segment = createSegment(0, 'a.jsonl');
  return {
    segment,
    tables,
    found,
    problems,
    reads,
    /** Reads up to the end of the text, which the file has now. */
    async read(text: string | Buffer, { thorough = false, size = Buffer.byteLength(text) } = {}) {
      await files.write('/f/a.jsonl', Buffer.from(text));
      const counted = {
        ...files,
        read: (path: string, start: number, length: number) => {
          reads.push([start, length]);
          return files.read(path, start, length);
        },
      };
      await readSegment(
        {
          files: counted,
          folder: '/f',
          tables,
          thorough,
          onRecord: (record) => void found.push(record),
          onProblem: (problem) => void problems.push(problem),
        },
        segment,
        size,
      );
    },
  };
}

describe('reading a segment', () => {
  const entry = makeEntry('e1');
  const body = makeBody('a text');

  test('goes on where it ended, and leaves an incomplete line for the next time', async () => {
    const reader = createReader();
    const text = HEAD + recordLine(entry) + recordLine(body) + END_LINE;
    await reader.read(HEAD.slice(0, 20));
    expect(reader.segment).toMatchObject({ isOpen: false, read: 0 });
    await reader.read(HEAD + recordLine(entry).slice(0, 30));
    expect(reader.segment).toMatchObject({ isOpen: true, read: HEAD.length, writer: 'w1', version: 1, hasSums: true });
    expect(reader.found).toEqual([]);
    await reader.read(HEAD + recordLine(entry));
    expect(reader.found).toEqual([entry]);
    await reader.read(text);
    expect(reader.segment).toMatchObject({ read: text.length, isDamaged: false });
    const start = HEAD.length + recordLine(entry).length;
    expect(reader.tables.bodies.place(reader.tables.bodies.rowOf(body.digest))).toEqual({
      segment: 0,
      start,
      length: recordLine(body).length - 1,
    });
    // Bodies are not told of, and a record counts once.
    await reader.read(text + recordLine(entry));
    expect(reader.found).toEqual([entry]);
    const other = makeEntry('e2');
    await reader.read(`${text}${recordLine(entry)}\n${recordLine(entry)}${recordLine(other)}`);
    expect(reader.found).toEqual([entry, other]);
    expect(recordPlace(reader.tables, other)).toEqual({
      segment: 0,
      start: text.length + recordLine(entry).length * 2 + 1,
      length: recordLine(other).length - 1,
    });
    expect(reader.problems).toEqual([]);
  });

  test('reads in pieces, and a line that is longer than one as a whole', async () => {
    const reader = createReader();
    const long = makeBody('x'.repeat(9 * 2 ** 20));
    await reader.read(HEAD + recordLine(long) + recordLine(entry));
    expect(reader.found).toEqual([entry]);
    expect(reader.tables.bodies.place(reader.tables.bodies.rowOf(long.digest))?.start).toBe(HEAD.length);
    const size = Buffer.byteLength(HEAD + recordLine(long) + recordLine(entry));
    expect(reader.reads).toEqual([
      [0, 4096],
      [HEAD.length, 8 * 2 ** 20],
      [HEAD.length, size - HEAD.length],
    ]);
    const short = createReader();
    await short.read(HEAD + recordLine(makeBody('y'.repeat(3 * 2 ** 20))).repeat(8) + recordLine(entry));
    expect(short.found).toEqual([entry]);
    expect(Math.max(...short.reads.map(([, length]) => length))).toBe(8 * 2 ** 20);
  });

  test('reads a file without a header as one of version 1, and says so', async () => {
    for (const text of [
      END_LINE + recordLine(entry),
      recordLine(entry),
      `\n${recordLine(entry)}`,
      `${'x'.repeat(5000)}\n${recordLine(entry)}`,
    ]) {
      const reader = createReader();
      await reader.read(text);
      expect(reader.found).toEqual([entry]);
      expect(reader.problems[0]).toEqual({
        code: 'damaged-record',
        where: 'a.jsonl:0',
        message: 'Its first line is not a segment header.',
      });
      expect(reader.segment).toMatchObject({ isOpen: true, version: 1, isDamaged: true, hasSums: false });
    }
    const reader = createReader();
    await reader.read('x'.repeat(4095));
    expect(reader.problems).toEqual([]);
    await reader.read('x'.repeat(4096));
    expect(reader.problems.length).toBe(1);
  });

  test('reads a newer version as far as it is understood, and says so', async () => {
    const reader = createReader();
    await reader.read(HEAD.replace('"version":1', '"version":2') + recordLine(entry));
    expect(reader.found).toEqual([entry]);
    expect(reader.segment).toMatchObject({ version: 2, isDamaged: false });
    expect(reader.problems).toEqual([
      {
        code: 'newer-format',
        where: 'a.jsonl:0',
        message: 'Its format version is 2, but this program knows only version 1. Update Skein to write here.',
      },
    ]);
  });

  test('reports each damaged line with its place, and what can still be read of it', async () => {
    const reader = createReader();
    const other = makeEntry('e2');
    const bare = recordLine(other).replace(/,"#":"[0-9a-f]{8}"/, '');
    const zeros = '\0\0\0\0\n';
    const broken = `{"k":"node","id":"${'a'.repeat(40)}";}\n`;
    const text = [HEAD, recordLine(entry), '\n', broken, bare, zeros, recordLine(makeRef('t', 'title', 1, '1'))];
    await reader.read(text.join(''));
    expect(reader.found).toEqual([entry, makeRef('t', 'title', 1, '1')]);
    const at = (line: number) => `a.jsonl:${text.slice(0, line).join('').length}`;
    expect(reader.problems).toEqual([
      {
        code: 'damaged-record',
        where: at(3),
        message: 'This line is not a valid record, or it was changed after it was written. It is kept as it is.',
        subject: 'a'.repeat(40),
      },
      { ...damagedLine(undefined), where: at(4) },
      { ...damagedLine(undefined), where: at(5) },
    ]);
    expect(reader.segment.isDamaged).toBe(true);
    // Behind a header from before checksums, a record needs none.
    const older = createReader();
    await older.read(text.slice(0, 2).join('') + HEAD.replace(',"sums":"crc32"', '') + bare);
    expect(older.found).toEqual([entry, other]);
  });

  test('checks every hash only if it is to be thorough', async () => {
    const wrong = { ...body, text: 'another text' };
    for (const thorough of [false, true]) {
      const reader = createReader();
      await reader.read(HEAD + recordLine(wrong), { thorough });
      expect(reader.tables.bodies.place(reader.tables.bodies.rowOf(body.digest)) === undefined).toBe(thorough);
      expect(reader.problems).toEqual(
        thorough
          ? [
              {
                code: 'wrong-hash',
                where: `a.jsonl:${HEAD.length}`,
                message: `The text of body ${body.digest} does not match its digest.`,
                subject: body.digest,
              },
            ]
          : [],
      );
    }
  });

  test('takes a line whose last byte is no line feed for whole if it is, and says so', async () => {
    const reader = createReader();
    const text = `${HEAD}${recordLine(entry).trimEnd()}?`;
    await reader.read(text);
    expect(reader.found).toEqual([entry]);
    expect(reader.problems).toEqual([{ ...damagedLine(undefined), where: `a.jsonl:${HEAD.length}` }]);
    expect(reader.problems[0]).not.toHaveProperty('subject');
    expect(reader.segment.read).toBe(text.length);
    const second = createReader();
    await second.read(HEAD + recordLine(body) + text.slice(HEAD.length));
    expect(second.problems.map(({ where }) => where)).toEqual([`a.jsonl:${(HEAD + recordLine(body)).length}`]);
    const torn = createReader();
    await torn.read(`${HEAD}${recordLine(entry).trimEnd()}\0`);
    expect([torn.found, torn.problems]).toEqual([[], []]);
  });

  test('holds a batch until all of it is there, and is read again from its beginning', async () => {
    const reader = createReader();
    const batch = encodeBatch([entry, body, makeEntry('e2')], 1).bytes.toString();
    const lines = batch.split('\n');
    await reader.read(`${HEAD}${lines[0]}\n${lines[1]}\n`);
    expect(reader.found).toEqual([]);
    expect(reader.tables.bodies.place(reader.tables.bodies.rowOf(body.digest))).toBeUndefined();
    expect(completeUpTo(reader.segment)).toBe(HEAD.length);
    await reader.read(HEAD + batch);
    expect(reader.found).toEqual([entry, makeEntry('e2')]);
    expect(reader.tables.bodies.place(reader.tables.bodies.rowOf(body.digest))?.start).toBe(
      HEAD.length + lines[0]!.length + 1,
    );
    expect(completeUpTo(reader.segment)).toBe(reader.segment.read);
    const damaged = createReader();
    await damaged.read(`${HEAD}{"~":"1.0.3","k":?}\n`);
    expect(completeUpTo(damaged.segment)).toBe(damaged.segment.read);
  });

  test('does not take another record for a body, or a body without its brace behind bytes that were never written', async () => {
    const reader = createReader();
    const note = { k: 'note', digest: body.digest, text: 'a text' };
    await reader.read(`${HEAD.replace(',"sums":"crc32"', '')}${JSON.stringify(note)}\n`);
    expect([reader.found, reader.problems]).toEqual([[note], []]);
    expect(reader.tables.bodies.place(reader.tables.bodies.rowOf(body.digest))).toBeUndefined();
    const zero = createReader();
    await zero.read(HEAD);
    await zero.read(`${HEAD}\0${recordLine(body).slice(1)}`);
    expect(zero.problems.length).toBe(1);
    expect(zero.tables.bodies.place(zero.tables.bodies.rowOf(body.digest))).toBeUndefined();
  });

  test('does not parse a body, whose text is checked when it is read', async () => {
    const damaged = makeBody('a text');
    const lines = [
      recordLine(damaged).replace('a text', 'a \\? text'),
      encodeBatch([damaged], 1).bytes.toString().replace('{', '{"~":"12.0.1",').replace('a text', 'a \\? text'),
    ];
    for (const line of lines)
      for (const before of ['', recordLine(entry), '\0\n', `${recordLine(entry)}\0\n`]) {
        const reader = createReader();
        await reader.read(HEAD);
        await reader.read(HEAD + before + line + recordLine(makeEntry('e2')));
        const place = reader.tables.bodies.place(reader.tables.bodies.rowOf(damaged.digest));
        expect(place).toEqual({ segment: 0, start: HEAD.length + before.length, length: line.length - 1 });
        expect(reader.problems.length).toBe(before.includes('\0') ? 1 : 0);
        expect(reader.found.at(-1)).toEqual(makeEntry('e2'));
      }
  });

  test('finds the digest of a body in whatever line it is written', async () => {
    const marked = encodeBatch([body], 1, '').bytes.toString().replace('{', '{"~":"1.0.1",');
    const { digest } = body;
    const lines = [
      recordLine(body),
      marked,
      `{"k":"body","text":"a text","digest":"${digest}"}\n`,
      `{"k":"body","digest":"${digest}","text":"a text","more":1}\n`,
      `{"~":"1.0.1","k":"body","text":"a text","digest":"${digest}"}\n`,
    ];
    for (const line of lines) {
      const reader = createReader();
      await reader.read(HEAD + line);
      const row = reader.tables.bodies.rowOf(digest);
      expect(reader.found).toEqual([]);
      expect(reader.tables.bodies.place(row), line).toEqual({
        segment: 0,
        start: HEAD.length,
        length: line.length - 1,
      });
    }
    const odd = [
      `{"k":"body","digest":"${digest.slice(0, -1)}g","text":"a text"}\n`,
      `{"k":"body","digest":"${digest}","text":"a text}\n`,
      `{"k":"body","digest":"${digest}","text":"}\n`,
      `{"~":"x","k":"body","digest":"${digest}","text":"a text"}\n`,
      `{"~":"1.1.1","k":"body","digest":"${digest}","text":"a text"}\n`,
      `{"k":"body","digest":"${digest}","text":"a\0text"}\n`,
    ];
    for (const line of odd) {
      const reader = createReader();
      await reader.read(HEAD + line + recordLine(entry));
      expect(
        reader.problems.map(({ where }) => where),
        line,
      ).toEqual([`a.jsonl:${HEAD.length}`]);
      expect(reader.found).toEqual([entry]);
    }
  });
});
