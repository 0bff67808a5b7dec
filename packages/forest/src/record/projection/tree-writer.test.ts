import type { Stop } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { createForest } from '../../forest/index.ts';
import { sha256 } from '../../model/ids.ts';
import type { StoreRecord } from '../../model/records.ts';
import { memoryStore, overlayStore } from '../../store/index.ts';
import type { Placement } from '../placement.ts';
import type { PlacedExchange } from './place-exchange.ts';
import { PLACEMENT_REF } from './placement-refs.ts';
import { createRecordedIndex } from './recorded-index.ts';
import { createTreeWriter } from './tree-writer.ts';

const body = (text: string): StoreRecord => ({ k: 'body', digest: sha256(text), text });
const bodies = (from: number, count: number) => Array.from({ length: count }, (_, at) => body(`text ${from + at}`));
const first = (exchange: string, records: readonly StoreRecord[] = []): PlacedExchange => ({
  exchange,
  placement: { state: 'landed', found: 'new', why: exchange },
  records,
});

/** A writer, and how many records were written each time. */
function world() {
  const inner = memoryStore();
  const sizes: number[] = [];
  const asked: string[][] = [];
  let takesRead = 0;
  const store = overlayStore(inner, {
    append(records) {
      sizes.push(records.length);
      return inner.append(records);
    },
    refs(query) {
      if (query.names?.includes(PLACEMENT_REF)) asked.push([...query.keys!]);
      return inner.refs(query);
    },
    takes(nodes) {
      takesRead += 1;
      return inner.takes(nodes);
    },
  });
  const { add, ...others } = createTreeWriter(createForest(store));
  const writer = { ...others, add: (placed: PlacedExchange) => add(placed, { clock: '1' }) };
  const stampOf = async (node: string) => (await inner.refs({ on: 'node', keys: [node], limit: 1 })).items[0]?.clock;
  const index = createRecordedIndex();
  const placed = async () => {
    const { items } = await inner.refs({ on: 'forest', names: [PLACEMENT_REF], limit: 1000 });
    return Object.fromEntries(items.map(({ key, value }) => [key, value as Placement]));
  };
  return {
    inner,
    sizes,
    asked,
    takesRead: () => takesRead,
    stampOf,
    writer,
    placed,
    commit: () => writer.commit(index),
  };
}

describe('records of placed exchanges', () => {
  test('are written five hundred at a time, and the rest at the end', async () => {
    const { sizes, writer, commit, inner } = world();
    await writer.add(first('a', bodies(0, 300)));
    await writer.add(first('b', bodies(300, 199)));
    expect(sizes).toEqual([]);
    await writer.add(first('c', bodies(499, 1)));
    expect(sizes).toEqual([500]);
    await writer.add(first('d', bodies(500, 1100)));
    expect(sizes).toEqual([500, 500, 500, 100]);
    await writer.add(first('e', bodies(1600, 7)));
    await commit();
    // With five placements and the version of the rules.
    expect(sizes).toEqual([500, 500, 500, 100, 13]);
    const texts = await inner.bodies(bodies(0, 1607).map((record) => (record as { digest: string }).digest));
    expect(texts.filter((text) => text === undefined)).toEqual([]);
    // The next run writes nothing of this one again.
    await writer.add(first('f', [body('last')]));
    await commit();
    expect(sizes.slice(5)).toEqual([2]);
  });

  test('are not written earlier for an exchange that adds none', async () => {
    const { sizes, writer, takesRead, commit } = world();
    await writer.add(first('a', [body('x')]));
    await writer.add({ ...first('b'), placement: { state: 'nothing', why: 'it lists models' } });
    expect([sizes, takesRead()]).toEqual([[], 0]);
    await commit();
    expect([sizes, takesRead()]).toEqual([[4], 0]);
  });

  test('are written earlier if their texts are long', async () => {
    const { sizes, writer } = world();
    const half = 2 ** 20;
    await writer.add(first('a', [body('a'.repeat(half)), body('b'.repeat(half - 1))]));
    expect(sizes).toEqual([]);
    await writer.add(first('b', [body('c')]));
    expect(sizes).toEqual([3]);
    await writer.add(first('c', [body('d'.repeat(half))]));
    expect(sizes).toEqual([3]);
    await writer.add(first('d', [body('e'.repeat(half))]));
    expect(sizes).toEqual([3, 2]);
  });

  test('that were not written are forgotten with all else when something fails', async () => {
    const { sizes, writer, commit, placed } = world();
    await writer.add(first('a', [body('x'.repeat(2 ** 20))]));
    writer.forget();
    expect(await commit()).toBe(0);
    expect([sizes, await placed()]).toEqual([[], {}]);
    await writer.add(first('b', [body('y'.repeat(2 ** 20))]));
    expect(sizes).toEqual([]);
    await commit();
    expect(Object.keys(await placed())).toEqual(['b']);
    expect(sizes).toEqual([3]);
  });
});

describe('placements', () => {
  test('are read five hundred at a time, those that are not known', async () => {
    const { writer, asked } = world();
    const ids = Array.from({ length: 600 }, (_, at) => `x${at}`);
    await writer.prepare(ids);
    expect(asked.map(({ length }) => length)).toEqual([500, 100]);
    await writer.prepare([...ids, 'y']);
    await writer.add(first('x7'));
    await writer.add(first('z'));
    expect(asked.slice(2)).toEqual([['y'], ['z']]);
  });

  test('that are the same are not written again; the last one of a run counts', async () => {
    const one = world();
    await one.writer.add(first('a'));
    await one.writer.add({ ...first('a'), placement: { state: 'landed', found: 'new', why: 'other' } });
    const stop = { reason: 'end', raw: null } as unknown as Stop;
    const placement: Placement = { ...first('b').placement, stop };
    await one.writer.add({ ...first('b'), placement });
    await one.commit();
    expect(await one.placed()).toEqual({
      a: { state: 'landed', found: 'new', why: 'other' },
      b: { state: 'landed', found: 'new', why: 'b', stop },
    });
    const written = one.sizes.length;
    await one.writer.add({
      exchange: 'b',
      records: [body('x')],
      placement: { stop, why: 'b', found: 'new', state: 'landed' },
    });
    expect(await one.commit()).toBe(0);
    expect(one.sizes).toHaveLength(written);
    await one.writer.add({ ...first('b'), placement: { state: 'landed', found: 'new', why: 'other' } });
    await one.writer.add({ ...first('b'), placement });
    await one.commit();
    expect(one.sizes).toHaveLength(written);
    expect((await one.placed()).b).toMatchObject({ why: 'b' });
  });
});

/** A register by another writer, whose clock is far ahead. */
const AHEAD = 'zzzzzzzzz.0000.other';
const ahead = (on: 'forest' | 'node', key: string, name: string, value: unknown): StoreRecord =>
  ({ k: 'ref', on, key, name, value, clock: AHEAD }) as StoreRecord;

describe('what others wrote meanwhile', () => {
  test('does not keep a placement from being the last one', async () => {
    const { inner, writer, commit, placed } = world();
    await writer.add(first('a'));
    await inner.append([ahead('forest', 'a', PLACEMENT_REF, { state: 'nothing', why: 'older' })]);
    await commit();
    expect((await placed()).a).toMatchObject({ why: 'a' });
  });

  const take = (id: string, exchange: string, more: object = {}): StoreRecord =>
    ({
      k: 'take',
      id,
      node: 'n',
      at: 1,
      via: 'record',
      author: 'model',
      exchange,
      thread: 't',
      ...more,
    }) as StoreRecord;

  test('keeps only the same take from being written, when an exchange is placed again', async () => {
    const { inner, writer, commit } = world();
    const ids = async () => (await inner.takes(['n'])).map(({ id }) => id).sort();
    await inner.append([take('1', 'a'), take('2', 'b'), ahead('forest', 'a', PLACEMENT_REF, { state: 'waiting' })]);
    const records = [
      body('x'),
      take('3', 'a'),
      take('4', 'c'),
      take('5', 'a', { thread: 'u' }),
      take('6', 'a', { via: 'engine' }),
    ];
    await writer.add(first('a', records));
    await commit();
    expect(await ids()).toEqual(['1', '2', '4', '5', '6']);
    expect(await inner.bodies([sha256('x')])).toEqual(['x']);
  });

  test('keeps a second poll from writing the same take, also of a reply that the same run has placed', async () => {
    const { inner, writer, commit } = world();
    const polled = (exchange: string, records: readonly StoreRecord[]): PlacedExchange => ({
      ...{ exchange, placement: { state: 'landed', why: exchange }, records },
    });
    await writer.add(first('a', [take('1', 'a')]));
    await writer.add(polled('poll', [take('2', 'a')]));
    await writer.add(polled('other poll', [take('3', 'b')]));
    await commit();
    expect((await inner.takes(['n'])).map(({ id }) => id).sort()).toEqual(['1', '3']);
  });
});

describe('nodes that were hidden', () => {
  const landed = (exchange: string, more: object): PlacedExchange => ({
    exchange,
    placement: { state: 'landed', found: 'new', ...more } as Placement,
    records: [],
  });
  const hidden = async (inner: Awaited<ReturnType<typeof world>>['inner']) => {
    const { items } = await inner.refs({ on: 'node', limit: 100 });
    return Object.fromEntries(items.map(({ key, name, value }) => [`${key} ${name}`, value]));
  };

  test('are there again with what is placed at them, below them or among them', async () => {
    const { inner, writer, commit, stampOf } = world();
    await inner.append(['p', 'n', 'a', 'b', 'other'].map((key) => ahead('node', key, 'moved', 'elsewhere')));
    await inner.append([ahead('node', 'q', 'moved', false)]);
    await writer.add(landed('x', { parent: 'p', node: 'n', added: ['a'], alternatives: ['b'] }));
    await writer.add(landed('y', { parent: 'q' }));
    await commit();
    expect(await hidden(inner)).toEqual({
      ...{ 'p moved': false, 'n moved': false, 'a moved': false, 'b moved': false },
      ...{ 'other moved': 'elsewhere', 'q moved': false },
    });
    expect(await stampOf('q')).toBe(AHEAD);
  });

  test('that a person removed are there again only with a new exchange', async () => {
    const { inner, writer, commit, stampOf } = world();
    await inner.append(['n', 'm', 'k'].map((key) => ahead('node', key, 'removed', key !== 'k')));
    await inner.append([ahead('forest', 'old', PLACEMENT_REF, { state: 'landed', node: 'm' })]);
    await writer.add(landed('old', { node: 'm', why: 'again' }));
    await writer.add(landed('new', { node: 'n', parent: 'k' }));
    await commit();
    expect(await hidden(inner)).toEqual({ 'n removed': false, 'm removed': true, 'k removed': false });
    expect(await stampOf('k')).toBe(AHEAD);
  });
});
