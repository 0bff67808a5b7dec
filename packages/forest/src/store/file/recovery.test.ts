import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeBody, makeEntry, makeNode, makePath, makeRef, makeTake, toRecords } from '../../testing/store-samples.ts';
import { fileStore } from './file-store.ts';
import { encodeBatch } from './segment-format.ts';
import { type TestFolder, testFolder } from './test-folder.ts';

const path = makePath(['a', 'b', 'c']);
const ids = path.map(({ node }) => node.id);
let here: TestFolder;

beforeEach(async () => {
  here = await testFolder();
});
afterEach(() => here.remove());

/** A closed segment with three nodes, one batch each; its name. */
async function written(): Promise<string> {
  const store = await here.open();
  for (const made of path) await store.append([...toRecords([made]), makeTake(made.node, 1)]);
  await store.close();
  return (await here.names())[0]!;
}

/** The lines of a batch, each with its line feed. */
function batchLines(batch: number, records: Parameters<typeof encodeBatch>[0]): string[] {
  return encodeBatch(records, batch).bytes.toString().match(/.*\n/g)!;
}

describe('what a dead writer left behind', () => {
  test('a torn last line does not count, is reported and stays as it is', async () => {
    const name = await written();
    const whole = await here.read(name);
    for (const torn of ['{"k":"no', batchLines(9, [makeRef('t', 'n', 1, '1'), makeRef('t', 'm', 1, '1')])[0]!]) {
      await here.write(name, whole.replace('{"skein":"end"}\n', '') + torn);
      const store = await here.open();
      expect(store.problems()).toMatchObject([{ code: 'torn-line', where: expect.stringContaining(name) }]);
      expect((await store.refs({ on: 'thread' })).items).toEqual([]);
      await store.append(toRecords([makeNode('more', { parent: path[2]!.node })]));
      expect((await store.path(ids[2]!)).length).toBe(3);
      await store.close();
      expect(await here.read(name)).toBe(whole.replace('{"skein":"end"}\n', '') + torn);
    }
  });

  test('a damaged record is skipped, reported with its place and kept, and the rest of its batch counts', async () => {
    const name = await written();
    const lines = (await here.read(name)).split('\n');
    const at = lines.findIndex((line) => line.includes(`"id":"${ids[1]}"`));
    const start = Buffer.byteLength(`${lines.slice(0, at).join('\n')}\n`);
    lines[at] = lines[at]!.replace('"k":', '"k";');
    await here.write(name, lines.join('\n'));
    const store = await here.open();
    expect(store.problems()).toMatchObject([{ code: 'damaged-record', where: `${name}:${start}` }]);
    expect((await store.nodes(ids)).map((node) => node?.id)).toEqual([ids[0], undefined, ids[2]]);
    expect(await store.bodies([path[1]!.body.digest])).toEqual([path[1]!.body.text]);
    expect((await store.path(ids[2]!)).map(({ id }) => id)).toEqual([ids[2]]);
    expect(await store.deepest(ids)).toBe(2);
    expect((await store.check()).map(({ code }) => code).sort()).toEqual(['damaged-record', 'missing-parent']);
    await store.append(toRecords([path[1]!]));
    expect((await store.path(ids[2]!)).map(({ id }) => id)).toEqual(ids);
    await store.close();
    expect(await here.read(name)).toBe(lines.join('\n'));
  });

  test('a text that changed on the disk is found by checking', async () => {
    const name = await written();
    await here.write(name, (await here.read(name)).replace('\\"text\\":\\"b\\"', '\\"text\\":\\"x\\"'));
    const store = await here.open();
    expect(await store.check()).toMatchObject([{ code: 'wrong-hash' }]);
    // Once somebody has read it, the store knows it, and does without that text; a check still tells it once.
    expect(await store.bodies([path[1]!.body.digest])).toEqual([undefined]);
    expect(store.problems()).toMatchObject([{ code: 'wrong-hash' }]);
    expect(await store.check()).toMatchObject([{ code: 'wrong-hash' }, { code: 'missing-body' }]);
    await store.close();
  });

  test('a damaged first line hides nothing', async () => {
    const name = await written();
    await here.write(name, (await here.read(name)).replace('{"skein"', '#"skein"'));
    const store = await here.open();
    expect(store.problems()[0]).toMatchObject({ code: 'damaged-record', where: `${name}:0` });
    expect(await store.deepest(ids)).toBe(2);
    await store.close();
  });

  test('an empty file and a file of zeros are no obstacle', async () => {
    await written();
    await here.write('empty.jsonl', '');
    await here.write('zeros.jsonl', new Uint8Array(10_000));
    const store = await here.open();
    expect(await store.deepest(ids)).toBe(2);
    expect(store.problems().map(({ where }) => where.split(':')[0])).toContain('zeros.jsonl');
    await store.close();
  });
});

describe('a writer that lives', () => {
  test('is not disturbed in the middle of a line or a batch', async () => {
    const writer = await here.open();
    await writer.append(toRecords(path.slice(0, 1)));
    const [name] = await here.names();
    const reader = await here.open();
    const { node, body } = path[1]!;
    const lines = batchLines(7, [body, node]);
    await here.append(name!, lines[0]!.slice(0, 30));
    expect(await reader.bodies([body.digest])).toEqual([undefined]);
    await here.append(name!, lines[0]!.slice(30));
    expect(await reader.bodies([body.digest])).toEqual([undefined]);
    await here.append(name!, lines[1]!);
    expect(await reader.bodies([body.digest])).toEqual([body.text]);
    expect(reader.problems()).toEqual([]);
    await reader.close();
    await writer.close();
  });

  test('keeps others from compacting, and a dead one does not', async () => {
    const writer = await here.open();
    await writer.append(toRecords(path));
    const other = await here.open();
    await expect(other.compact(() => true)).rejects.toMatchObject({ code: 'store_in_use' });
    expect(await other.deepest(ids)).toBe(2);
    await writer.close();
    expect(await other.compact(() => true)).toEqual({ kept: 6, removed: 0 });
    await other.append(toRecords([makeNode('more')]));
    expect(await other.isAlive(writer.writer)).toBe(false);
    await other.close();
    expect((await here.names()).length).toBe(2);
  });

  test('on another machine is believed while its beat is heard', async () => {
    const store = await here.open();
    const signs = join(here.own, 'writers');
    await mkdir(signs, { recursive: true });
    const sign = { pid: 1, started: '5', boot: 'another', space: 'pid:[1]', host: 'elsewhere' };
    await writeFile(join(signs, 'w1.json'), JSON.stringify(sign));
    expect(await store.isAlive('w1')).toBe(true);
    await writeFile(join(signs, 'w2.json'), '{"pid":');
    expect(await store.isAlive('w2')).toBe(true);
    await store.close();
  });

  test('on this machine is dead when another process has its number', async () => {
    const store = await here.open();
    await store.append(toRecords([makeNode('x')]));
    const signs = join(here.own, 'writers');
    const [name] = await readdir(signs);
    const sign = JSON.parse(await readFile(join(signs, name!), 'utf8'));
    await writeFile(join(signs, 'w1.json'), JSON.stringify({ ...sign, started: '1' }));
    expect(await store.isAlive('w1')).toBe(false);
    await writeFile(join(signs, 'w2.json'), JSON.stringify(sign));
    expect(await store.isAlive('w2')).toBe(true);
    await store.close();
  });
});

describe('folders that were merged', () => {
  test('lines that were duplicated, in whatever order, count once', async () => {
    const name = await written();
    const lines = (await here.read(name)).trimEnd().split('\n');
    await here.write('copy of it.jsonl', `${lines.join('\n')}\n`);
    const [head, ...rest] = lines;
    const doubled = [head!, ...rest.flatMap((line) => [line, line])];
    const shuffled = [head!, ...rest.filter((_, at) => at % 2), ...rest.filter((_, at) => at % 2 === 0)];
    for (const text of [doubled, shuffled, [...doubled, ...doubled]]) {
      await here.write(name, `${text.join('\n')}\n`);
      const store = await here.open();
      expect((await store.scan()).items.map(({ id }) => id)).toEqual(ids);
      expect((await store.takes(ids)).length).toBe(3);
      expect(await store.childCounts(ids)).toEqual([1, 1, 0]);
      expect((await store.check()).filter(({ where }) => !where.endsWith(':0'))).toEqual([]);
      await store.close();
    }
  });

  test('copying the files of one into the other gives both, and the later values', async () => {
    const mine = await here.open();
    await mine.append([...toRecords(path), makeRef('t', 'title', 'mine', '2'), makeRef('u', 'title', 'mine', '1')]);
    await mine.close();
    const there = await testFolder();
    const yours = await there.open();
    const branch = makePath(['x', 'y'], path[1]!.node);
    const first = { ...path[0]!.node, at: path[0]!.node.at - 5 };
    await yours.append([path[0]!.body, first, ...toRecords([path[1]!, ...branch])]);
    await yours.append([makeRef('t', 'title', 'yours', '1'), makeRef('u', 'title', 'yours', '2')]);
    await yours.close();
    await cp(there.own, here.own, { recursive: true });
    await there.remove();
    const both = await here.open();
    expect((await both.children(ids[1]!)).items.map(({ id }) => id).sort()).toEqual(
      [ids[2], branch[0]!.node.id].sort(),
    );
    expect((await both.refs({ on: 'thread' })).items.map(({ key, value }) => `${key} ${value}`)).toEqual([
      't mine',
      'u yours',
    ]);
    expect((await both.nodes([ids[0]!]))[0]?.at).toBe(first.at);
    expect(await both.check()).toEqual([]);
    await both.close();
  });

  test('a segment that appears, shrinks or is replaced while a store is open is read again', async () => {
    const name = await written();
    const whole = await here.read(name);
    const store = await here.open();
    const late = makeBody('late');
    await here.write('late.jsonl', `${whole}${JSON.stringify(late)}\n`);
    expect(await store.bodies([late.digest])).toEqual(['late']);
    const { next } = await store.changes();
    await here.write(name, `${whole.split('\n').slice(0, 4).join('\n')}\n`);
    await here.write('late.jsonl', '');
    await expect.poll(async () => (await store.changes(next)).reset).toBe(true);
    expect(await store.deepest(ids)).toBe(0);
    await store.close();
  });
});

describe('a newer format', () => {
  test('is read as far as it is understood, and nothing is written', async () => {
    const name = await written();
    await here.write('newer.jsonl', (await here.read(name)).replace('"version":1', '"version":2'));
    const store = await here.open();
    expect(store.problems()).toMatchObject([{ code: 'newer-format', where: 'newer.jsonl:0' }]);
    await expect(store.append(toRecords([makeNode('x')]))).rejects.toMatchObject({ code: 'store_read_only' });
    expect(await store.deepest(ids)).toBe(2);
    await store.close();
    expect((await here.names()).length).toBe(2);
  });
});

describe('what cannot be', () => {
  test('names that lead out of the folder are refused', async () => {
    for (const project of ['..', '../x', 'x/..', '', 'a/b', '.hidden', 'x'.repeat(101)])
      await expect(fileStore(here.folder, { project }), project).rejects.toMatchObject({
        code: 'store_name',
        message: expect.stringContaining(`${JSON.stringify(project)} is not a valid project name.`),
      });
    for (const project of ['a', 'B.2_c-d', 'x'.repeat(100)]) await (await fileStore(here.folder, { project })).close();
  });

  test('a record without what it needs is refused, with its whole batch', async () => {
    const store = await here.open();
    const bad = { ...path[0]!.node, id: 'zz' };
    await expect(store.append([path[0]!.body, bad])).rejects.toMatchObject({ code: 'store_record' });
    expect(await store.bodies([path[0]!.body.digest])).toEqual([undefined]);
    await store.close();
    await expect(store.append([makeEntry('x')])).rejects.toMatchObject({ code: 'store_closed' });
  });

  test('opening a folder that is not there makes nothing', async () => {
    const store = await here.open();
    expect((await store.scan()).items).toEqual([]);
    await store.close();
    expect(await readdir(here.folder)).toEqual([]);
  });
});
