import { describe, expect, test } from 'vitest';
import { type Recorded, recordsOf } from '../../../test/record-exchanges.ts';
import { createForest } from '../../forest/index.ts';
import { createClock } from '../../model/clock.ts';
import { type EntryRecord, packBytes } from '../../model/records.ts';
import { memoryStore, overlayStore, type Store } from '../../store/index.ts';
import { readExchangeRecord, upstreamResponsePart } from '../exchange.ts';
import { recentTexts } from '../recent-texts.ts';
import { closeLost, loadExchanges, readContents } from './load-exchanges.ts';

const REPLY = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'Yes.' } }] });
const chat = (start: number, more: Partial<Recorded> = {}): EntryRecord[] =>
  recordsOf({
    ...{ id: `x${start}`, start, dialect: 'openai-chat', response: REPLY },
    request: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `Question ${start}?` }] }),
    ...more,
  });
const changed = (record: EntryRecord, data: object): EntryRecord => ({ ...record, data: { ...record.data, ...data } });

describe('exchanges behind a position', () => {
  /** A store with five exchanges, which lists two at a time. */
  const five = async () => {
    const inner = memoryStore();
    for (const start of [1, 2, 3, 4, 5]) await inner.append(chat(start));
    const store = overlayStore(inner, { entries: (kind, query) => inner.entries(kind, { ...query, limit: 2 }) });
    return { store, last: (await inner.entry('exchange', 'x2'))!.order };
  };
  const load = async (store: Store, position: string, size: number) => {
    const parts: string[][] = [];
    for await (const part of loadExchanges(createForest(store), position, size)) parts.push(part.map(({ id }) => id));
    return parts;
  };

  test('come in parts of at least that many, without what belongs to them', async () => {
    const { store } = await five();
    expect(await load(store, '', 4)).toEqual([['x1', 'x2', 'x3', 'x4'], ['x5']]);
    expect(await load(store, '', 3)).toEqual([['x1', 'x2', 'x3', 'x4'], ['x5']]);
    expect(await load(store, '', 9)).toEqual([['x1', 'x2', 'x3', 'x4', 'x5']]);
  });

  test('are those that come later', async () => {
    const { store, last } = await five();
    expect(await load(store, last, 9)).toEqual([['x3', 'x4', 'x5']]);
  });
});

describe('an exchange that has not ended', () => {
  const open = (writer: string) => changed(chat(1).at(-1)!, { outcome: 'open', writer });

  test('was cut if its process is dead, which is stored', async () => {
    const store = memoryStore();
    const forest = createForest(store);
    const [found] = await closeLost(forest, [open('dead')]);
    const cut = { outcome: 'cut', error: 'the process that recorded it ended' };
    expect(readExchangeRecord(found!)).toMatchObject(cut);
    expect(found!.clock > open('dead').clock).toBe(true);
    expect(await store.entry('exchange', 'x1')).toEqual(found);
  });

  test('that only seemed to be lost is what its process says at the end, though the clock of whoever closed it is ahead', async () => {
    const store = memoryStore();
    const clock = createClock('alive', () => 1_000_000);
    const begun = { ...open('alive'), clock: clock.tick() };
    const done = { ...changed(begun, { outcome: 'done' }), clock: clock.tick() };
    const closed = await Promise.all(
      [2_000_000, 3_000_000].map((ahead) => closeLost(createForest(memoryStore(), { now: () => ahead }), [begun])),
    );
    expect(closed[0]).toEqual(closed[1]);
    await store.append([begun, done, ...closed.flat()]);
    expect(await store.entry('exchange', 'x1')).toEqual(done);
  });

  test('of this process goes on, even while the process ends: it knows more of it than is stored', async () => {
    const store = memoryStore();
    const ending = overlayStore(store, { isAlive: async () => false });
    const entries = [open(store.writer)];
    expect(await closeLost(createForest(ending), entries)).toEqual(entries);
  });

  test('goes on if its process is alive; what has ended or cannot be read stays as it is', async () => {
    const store = memoryStore();
    const entries = [
      open(store.writer),
      changed(chat(2).at(-1)!, { writer: 'dead' }),
      changed(open('dead'), { version: 99 }),
    ];
    expect(await closeLost(createForest(store), entries)).toEqual(entries);
    expect((await store.entries('exchange')).items).toEqual([]);
  });
});

describe('what exchanges say', () => {
  const world = async (...exchanges: readonly (readonly EntryRecord[])[]) => {
    const inner = memoryStore();
    for (const records of exchanges) await inner.append(records);
    let reads = 0;
    const store = overlayStore(inner, {
      entries(kind, query) {
        reads += 1;
        return inner.entries(kind, query);
      },
    });
    const forest = createForest(store);
    const read = async (...ids: readonly string[]) =>
      (
        await readContents(
          forest,
          ids.map((id) => ({ id })),
        )
      ).map((content) => content?.exchange.id);
    return { forest, read, reads: () => reads };
  };

  test('is read in their order, without those that are not there or of another format', async () => {
    const newer = chat(3).map((record) => changed(record, { version: 99 }));
    const { read } = await world(chat(1), chat(2), newer);
    expect(await read('x2', 'x3', 'x4', 'x1')).toEqual(['x2', undefined, undefined, 'x1']);
  });

  test('is not read from the store if it has just been written by this process', async () => {
    const { forest, read, reads } = await world(chat(1), chat(2));
    const collected = recentTexts(forest.store).collect('x1');
    collected.request(packBytes(new TextEncoder().encode('{"model":"m","messages":[]}')));
    collected.response(packBytes(new TextEncoder().encode(REPLY)));
    collected.done();
    expect(await read('x1')).toEqual(['x1']);
    expect(reads()).toBe(0);
    expect(await read('x1', 'x2')).toEqual(['x1', 'x2']);
    expect(reads()).toBe(1);
  });

  test('is unknown while a part is missing', async () => {
    const [request, response, exchange] = chat(1);
    const said = changed(exchange!, { responseBytes: REPLY.length });
    expect(await (await world([request!, response!, said])).read('x1')).toEqual(['x1']);
    expect(await (await world([request!, said])).read('x1')).toEqual([undefined]);
    expect(await (await world([response!, said])).read('x1')).toEqual([undefined]);
  });

  test('has the replies that a gateway sent in place of what the client sent back', async () => {
    const upstream = {
      ...{ provider: 'anthropic', dialect: 'anthropic-messages', issuer: 'anthropic', model: 'claude' },
      ...{ host: 'h', path: '/', status: 200, attempt: 1, losses: [] },
    };
    const thought = [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'Yes.' },
    ];
    const answer = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: thought };
    const through = (start: number, more: object, messages: readonly object[]) => {
      const [request, response, exchange] = chat(start, { request: JSON.stringify({ model: 'm', messages }) });
      const packed = packBytes(new TextEncoder().encode(JSON.stringify(answer)));
      const part = upstreamResponsePart(`x${start}`, 1, 0, packed, request!.clock);
      const sides = { responseBytes: REPLY.length, upstream: { ...upstream, ...more } };
      return [request!, response!, part, changed(exchange!, sides)];
    };
    const first = [{ role: 'user', content: 'Well?' }];
    const next = [...first, { role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'Why?' }];
    const { forest } = await world(through(1, {}, first), through(2, { restored: { 1: 'x1', 2: 'gone' } }, next));
    const [content] = await readContents(forest, [{ id: 'x2' }]);
    const { messages } = content as unknown as { messages: readonly { raw: string; text: string }[] };
    expect(messages[1]!.raw).toContain('"signature":"s"');
    expect(messages.map(({ text }) => text)).toEqual(['Well?', 'Yes.', 'Why?']);
  });

  test('of a gateway is unknown while the answer of its provider is missing', async () => {
    const [request, response, exchange] = chat(1);
    const upstream = { provider: 'p', dialect: 'openai-chat', status: 200, attempt: 1, losses: [] };
    const said = changed(exchange!, { responseBytes: REPLY.length, upstream });
    expect(await (await world([request!, response!, said])).read('x1')).toEqual([undefined]);
  });
});
