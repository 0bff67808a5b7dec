import { beforeEach, describe, expect, test } from 'vitest';
import { makeBody, makeEntry, makeNode } from '../../testing/store-samples.ts';
import { createSegment } from './segment.ts';
import { encodeBatch, recordLine } from './segment-format.ts';
import { reportTorn } from './segment-set.ts';
import { IndexDamage, PageCache } from './tables/pages.ts';
import { createTables } from './tables/tables.ts';
import { entryLine, HEAD, testSegments } from './test-segments.ts';

let here: ReturnType<typeof testSegments>;
beforeEach(() => {
  here = testSegments();
});

describe('problems', () => {
  test('are told once for each place and kind, and a thousand at most', () => {
    const { set } = here.openSet();
    const torn = { code: 'torn-line', where: 'a:1', message: 'torn' } as const;
    const damaged = { code: 'damaged-record', where: 'a:1', message: 'damaged' } as const;
    for (const problem of [torn, damaged, { ...torn, message: 'again' }, { ...damaged, where: 'a:2' }])
      set.report(problem);
    expect(set.problems).toEqual([torn, damaged, { ...damaged, where: 'a:2' }]);
    for (let at = 0; at < 1500; at++) set.report({ ...torn, where: `b:${at}` });
    expect(set.problems.length).toBe(1000);
  });

  test('and segments of a snapshot are there from the beginning; segments that it did not have are not', async () => {
    const problem = { code: 'damaged-record', where: 'a.jsonl:5', message: 'damaged' } as const;
    await here.put('b.jsonl', HEAD, entryLine('e1'));
    const files = here.disk.files();
    const read = HEAD.length;
    const kept = {
      ...createSegment(1, 'b.jsonl'),
      isOpen: true,
      writer: 'w',
      read,
      file: (await files.stat(here.pathOf('b.jsonl')))!.file,
    };
    const tables = createTables(new PageCache(files, here.folders.index, 0));
    const { set, counts, names } = here.openSet(
      {},
      { tables, segments: [createSegment(0, ''), kept], problems: [problem] },
    );
    expect([set.tables === tables, set.problems, names()]).toEqual([true, [problem], ['b.jsonl']]);
    await set.refresh();
    expect(counts).toEqual({ found: ['event/e1'], resets: 0, reads: 1 });
  });

  test('that are found while records are read make everything be read again, once, and every hash be checked', async () => {
    const wrong = { ...makeBody('x'), text: 'y' };
    await here.put('a.jsonl', HEAD, recordLine(wrong), entryLine('e1'));
    const { set, counts } = here.openSet();
    await set.refresh();
    expect([await set.mend(), set.problems]).toEqual([false, []]);
    const damage = { code: 'damaged-record', message: 'damaged' } as const;
    const place = { segment: 0, start: HEAD.length, length: 5 };
    set.damaged(place, damage);
    expect(set.problems).toEqual([{ ...damage, where: `a.jsonl:${HEAD.length}` }]);
    expect(set.all[0]!.isDamaged).toBe(true);
    expect([await set.mend(), counts.resets]).toEqual([true, 1]);
    expect(set.problems).toMatchObject([{ code: 'wrong-hash' }]);
    set.damaged(place, { code: 'wrong-hash', message: 'known by now' });
    expect([await set.mend(), counts.resets]).toEqual([false, 1]);
    await set.reload();
    expect(set.problems.length).toBe(1);
    await set.reload(false);
    expect(set.problems).toEqual([]);
  });

  test('are writes that were never completed, unless their writer lives', async () => {
    const lines = encodeBatch([makeEntry('e2'), makeEntry('e3')], 1)
      .bytes.toString()
      .split('\n');
    await here.put('a.jsonl', HEAD, entryLine('e1'), lines[0]!, '\n');
    await here.put('b.jsonl', HEAD, entryLine('e4'), '{"k":');
    await here.put('c.jsonl', HEAD, entryLine('e5'));
    const { set, files } = here.openSet();
    const own = set.own('own.jsonl');
    await here.put('own.jsonl', HEAD);
    own.read = 5;
    await set.refresh();
    await here.disk.files().write(here.sign, Buffer.from('{'));
    await reportTorn(set, files, here.folders);
    expect(set.problems).toEqual([]);
    await here.disk.files().remove(here.sign);
    await reportTorn(set, files, here.folders);
    const torn = (name: string, start: number, size: number) => ({
      code: 'torn-line',
      where: `${name}:${start}`,
      message: `The last ${size} bytes belong to a write that was never completed. They are ignored and kept.`,
    });
    expect(set.problems).toEqual([
      torn('a.jsonl', HEAD.length + entryLine('e1').length, lines[0]!.length + 1),
      torn('b.jsonl', HEAD.length + entryLine('e4').length, 5),
    ]);
    expect(set.all.map(({ name, isDamaged }) => [name, isDamaged])).toEqual([
      ['own.jsonl', false],
      ['a.jsonl', true],
      ['b.jsonl', true],
      ['c.jsonl', false],
    ]);
    await here.remove('b.jsonl');
    await reportTorn(set, files, here.folders);
    expect(set.problems.length).toBe(2);
  });
});

test('a write that was never completed, and whose lines are damaged, is told as damaged', async () => {
  const wrong = { ...makeBody('x'), text: 'y' };
  const [line] = encodeBatch([wrong, makeEntry('e1')], 1)
    .bytes.toString()
    .split('\n');
  await here.put('a.jsonl', HEAD, line!, '\n');
  const { set, files } = here.openSet();
  await set.reload(true);
  await reportTorn(set, files, here.folders);
  expect(set.problems.map(({ code }) => code)).toEqual(['wrong-hash']);
});

describe('an index that turns out to be damaged', () => {
  test('is made again while segments are read', async () => {
    await here.put('a.jsonl', HEAD, recordLine(makeNode('a').node));
    const { set, counts } = here.openSet();
    await set.refresh();
    set.tables.drop();
    here.add('a.jsonl', recordLine(makeNode('b').node));
    await set.refresh();
    expect([set.tables.nodes.count, counts.resets]).toEqual([3, 1]);
  });

  test('is made again, once, for all that look at it, and their work is repeated', async () => {
    await here.put('a.jsonl', HEAD, recordLine(makeNode('a').node));
    const { set, counts } = here.openSet();
    await set.refresh();
    set.tables.drop();
    const { id } = makeNode('a').node;
    const work = async () => {
      const { nodes } = set.tables;
      await new Promise((resolve) => setImmediate(resolve));
      return nodes.has(nodes.rowOf(id));
    };
    expect(await set.sound(() => set.sound(work))).toBe(true);
    expect(counts.resets).toBe(1);
    let tries = 0;
    await expect(
      set.sound(() => {
        tries += 1;
        throw new IndexDamage();
      }),
    ).rejects.toBeInstanceOf(IndexDamage);
    expect([tries, counts.resets]).toEqual([20, 20]);
    await expect(set.sound(() => Promise.reject(new Error('another')))).rejects.toThrow('another');
    expect(counts.resets).toBe(20);
    set.close();
    await expect(set.sound(() => Promise.reject(new IndexDamage()))).rejects.toBeInstanceOf(IndexDamage);
    expect(counts.resets).toBe(20);
  });

  test('is not made again by those who find that it was', async () => {
    const { set, counts } = here.openSet();
    let tries = 0;
    await set.sound(async () => {
      tries += 1;
      if (tries > 1) return;
      await set.reload();
      throw new IndexDamage();
    });
    expect([tries, counts.resets]).toEqual([2, 1]);
  });

  test('is closed with the set', () => {
    let closed = 0;
    const tables = {
      ...createTables(new PageCache(here.disk.files(), here.folders.index, 0)),
      close: () => void closed++,
    };
    const { set } = here.openSet({}, { tables, segments: [], problems: [] });
    set.close();
    expect(closed).toBe(1);
  });
});
