import { memoryStore, reproject, type Store } from '@skein/forest';
import { describe, expect, test } from 'vitest';
import { EXCHANGES } from '../src/record/exchange.ts';
import { PLACEMENT_REF } from '../src/record/projection/placement-refs.ts';
import { sharedProjector } from '../src/record/projection/projector.ts';
import { recordsOf, seen } from './record-exchanges.ts';
import { newForest } from './record-kit.ts';
import { assistant, chatTurn, poll, projected, response, responsesTurn, user } from './record-projection-kit.ts';

test('an earlier turn whose clock was ahead by an hour does not hide the turns after it', async () => {
  const [Q, A, R, B] = [user('Q'), assistant('A'), user('R'), assistant('B')];
  const first = chatTurn('a', 1, [Q], A);
  const second = chatTurn('b', 3_600_000, [Q, A, R], B);
  const third = chatTurn('c', 2000, [Q, A, R, B, user('S')], assistant('C'));
  const forest = newForest(await projected([first, second, third]));
  const [thread] = (await forest.threads.list()).items;
  const path = await forest.path(thread!.head);
  expect(path.map(({ message }) => message.text)).toEqual(['Q', 'A', 'R', 'B', 'S', 'C']);
});

describe('many exchanges at once, whose records are more changes than a store remembers,', () => {
  const ids = Array.from({ length: 1500 }, (_, at) => `x${String(at).padStart(4, '0')}`);

  /** A store, what was asked of it, and how to record these exchanges in it. */
  const watchedStore = () => {
    const store = memoryStore();
    const asked: string[] = [];
    const watched: Store = {
      ...store,
      entry(kind, id) {
        if (!id.includes('/')) asked.push(id);
        return store.entry(kind, id);
      },
      entries(kind, query) {
        if (query?.of === EXCHANGES) asked.push('a page of all');
        return store.entries(kind, query);
      },
    };
    const record = async () => {
      for (const [at, id] of ids.entries())
        await store.append(recordsOf(chatTurn(id, at, [user(`Q ${id}`)], assistant(`A ${id}`))));
    };
    const readPlaced = async () => {
      const { items } = await store.refs({ on: 'forest', names: [PLACEMENT_REF], limit: ids.length });
      return items.map(({ key }) => key).sort();
    };
    return { asked, record, readPlaced, run: sharedProjector({ store: watched, clock: newForest(store).clock }).run };
  };

  test('are read once', async () => {
    const { asked, record, readPlaced, run } = watchedStore();
    await run();
    expect(asked.splice(0)).toEqual(['a page of all']);
    await record();
    await run();
    expect(asked).toEqual(ids);
    expect(await readPlaced()).toEqual(ids);
  });

  test('are read once by a process that begins with them', async () => {
    const { asked, record, readPlaced, run } = watchedStore();
    await record();
    await run();
    expect(asked).toEqual(['a page of all', 'a page of all', 'a page of all']);
    expect(await readPlaced()).toEqual(ids);
  });
});

describe('a late exchange', () => {
  // The reply has thoughts that the client does not send back: its copy is not the same node.
  const first = chatTurn('a', 1, [user('Q')], { ...assistant('A'), reasoning_content: 'hm' });
  const usage = { prompt_tokens: 5, completion_tokens: 7 };
  const second = chatTurn('b', 2, [user('Q'), assistant('A'), user('R')], assistant('B'), { usage });

  test('moves what came after it to where it belongs; old ids lead there', async () => {
    const store = memoryStore();
    const forest = newForest(store);
    await store.append(recordsOf(second));
    await reproject(forest);
    const [alone] = (await forest.threads.list()).items;
    await store.append(recordsOf(first));
    expect(await reproject(forest)).toMatchObject({ exchanges: 2, landed: 2, moved: 3 });
    const threads = (await forest.threads.list()).items;
    expect(threads).toHaveLength(1);
    expect(await forest.resolve(alone!.head)).toBe(threads[0]!.head);
    expect((await forest.path(threads[0]!.head)).map(({ message }) => message.text)).toEqual(['Q', 'A', 'R', 'B']);
    expect((await seen(store)).nodes).toEqual((await seen(await projected([first, second]))).nodes);
    expect(await forest.usage({ since: 0 })).toMatchObject({ replies: 1, usage: { input: 5, output: 7 } });
    expect(await forest.fsck()).toEqual([]);
  });

  test('that begins a named thread says when that was begun', async () => {
    const store = memoryStore();
    const forest = newForest(store);
    await store.append(recordsOf({ ...second, thread: 'mine' }));
    await reproject(forest);
    await store.append(recordsOf({ ...first, thread: 'mine' }));
    await sharedProjector(forest).run();
    expect((await forest.threads.list()).items).toMatchObject([{ title: 'mine', createdAt: first.start }]);
  });

  test('leaves alone what a person hung below the old place', async () => {
    const store = memoryStore();
    const forest = newForest(store);
    await store.append(recordsOf(second));
    await reproject(forest);
    const [alone] = (await forest.threads.list()).items;
    const own = await forest.append(alone!.head, await forest.messages(alone!.head).then((all) => all.slice(0, 1)));
    await store.append(recordsOf(first));
    await reproject(forest);
    expect((await forest.node(own)).id).toBe(own);
    expect(await forest.resolve(alone!.head)).toBe(alone!.head);
  });
});

describe('what the API keeps', () => {
  const one = responsesTurn('a', 1, { input: 'Q1' }, response('resp_1', 'completed', 'A1'));
  const two = responsesTurn(
    'b',
    2,
    { input: 'Q2', previous_response_id: 'resp_1' },
    response('resp_2', 'completed', 'A2'),
  );

  test('a response that goes on from one which was not recorded says so, and joins it when it arrives', async () => {
    const store = memoryStore();
    const forest = newForest(store);
    await store.append(recordsOf(two));
    expect(await reproject(forest)).toMatchObject({ landed: 1 });
    expect((await forest.threads.list()).items).toMatchObject([{ unrecorded: 'resp_1' }]);
    await store.append(recordsOf(one));
    expect(await reproject(forest)).toMatchObject({ landed: 2 });
    const threads = (await forest.threads.list()).items;
    expect(threads).toHaveLength(1);
    expect((await forest.path(threads[0]!.head)).map(({ message }) => message.text)).toEqual(['Q1', 'A1', 'Q2', 'A2']);
  });

  test('a conversation goes on where it stood', async () => {
    const forest = newForest(
      await projected([
        responsesTurn('a', 1, { input: 'Q1', conversation: 'conv_1' }, response('resp_1', 'completed', 'A1')),
        responsesTurn('b', 2, { input: 'Q2', conversation: { id: 'conv_1' } }, response('resp_2', 'completed', 'A2')),
      ]),
    );
    const threads = (await forest.threads.list()).items;
    expect((await forest.path(threads[0]!.head)).map(({ message }) => message.text)).toEqual(['Q1', 'A1', 'Q2', 'A2']);
  });

  test('a history that refers to stored items goes on behind them, and the references become no messages', async () => {
    const asked = (text: string) => ({ type: 'message', role: 'user', content: text });
    const refers = (id: string) => ({ type: 'item_reference', id });
    const said = (id: string, text: string) =>
      JSON.stringify({
        id: `resp_${id}`,
        status: 'completed',
        output: [
          { type: 'reasoning', id: `rs_${id}0123456789`, summary: [] },
          { type: 'message', id: `msg_${id}0123456789`, role: 'assistant', content: [{ type: 'output_text', text }] },
        ],
      });
    const first = [refers('rs_a0123456789'), refers('msg_a0123456789')];
    const forest = newForest(
      await projected([
        responsesTurn('a', 1, { input: [asked('Q1')] }, said('a', 'A1')),
        responsesTurn('b', 2, { input: [asked('Q1'), ...first, asked('Q2')] }, said('b', 'A2')),
        responsesTurn(
          'c',
          3,
          { input: [asked('Q1'), ...first, asked('Q2'), refers('msg_b0123456789'), asked('Q3')] },
          said('c', 'A3'),
        ),
      ]),
    );
    const threads = (await forest.threads.list()).items;
    expect(threads).toHaveLength(1);
    const path = await forest.path(threads[0]!.head);
    expect(path.map(({ message }) => message.text)).toEqual(['Q1', 'A1', 'Q2', 'A2', 'Q3', 'A3']);
    expect(await forest.contextChanges(threads[0]!.id)).toEqual([]);
  });

  test('a background response has its reply when a poll brings it, and others wait for that', async () => {
    const exchanges = [
      responsesTurn('a', 1, { input: 'Q1', background: true }, response('resp_1', 'queued')),
      poll('b', 2, 'resp_1', response('resp_1', 'in_progress')),
      responsesTurn('c', 3, { input: 'Q2', previous_response_id: 'resp_1' }, response('resp_2', 'completed', 'A2')),
      poll('d', 4, 'resp_1', response('resp_1', 'completed', 'A1')),
      poll('e', 5, 'resp_1', response('resp_1', 'completed', 'A1')),
    ];
    const store = await projected(exchanges);
    const forest = newForest(store);
    const { landed } = await seen(store);
    expect(landed.c).toMatchObject({ state: 'landed' });
    const { node } = landed.c as { node: string };
    const path = await forest.path(node);
    expect(path.map(({ message }) => message.text)).toEqual(['Q1', 'A1', 'Q2', 'A2']);
    expect(path[1]?.takes).toMatchObject([{ exchange: 'a', extra: { broughtBy: 'd' } }]);
    expect((await seen(store)).nodes).toHaveLength(4);
  });
});

describe('a reply that says nothing', () => {
  const usage = { prompt_tokens: 5000, completion_tokens: 0, total_tokens: 5000 };
  const silent = { role: 'assistant', content: null, refusal: null };
  const sealed = { ...assistant('A'), reasoning_content: 'hm' };
  const start = chatTurn('a', 1, [user('Q')], sealed);
  const history = [user('Q'), assistant('A'), user('R')];
  const refused = chatTurn('b', 2, history, silent, { usage });

  test('is a node with its usage', async () => {
    const store = await projected([start, refused]);
    const forest = newForest(store);
    const { landed } = await seen(store);
    const { message, takes } = await forest.node((landed.b as { node: string }).node);
    expect(message.raw).toBe(JSON.stringify(silent));
    expect(takes).toMatchObject([{ author: 'model', usage: { input: 5000 } }]);
  });

  test('gets the next question below it, and another answer beside it', async () => {
    const store = await projected([
      start,
      refused,
      chatTurn('c', 3, history, assistant('Again.')),
      chatTurn('d', 4, [...history, silent, user('S')], assistant('Below.')),
    ]);
    const forest = newForest(store);
    const { landed } = await seen(store);
    const { node } = landed.b as { node: string };
    const siblings = await forest.siblings(node);
    expect(siblings.map(({ message }) => message.text).sort()).toEqual(['', 'Again.']);
    const path = await forest.path((landed.d as { node: string }).node);
    expect(path.map(({ message }) => message.text)).toEqual(['Q', 'A', 'R', '', 'S', 'Below.']);
    expect(path[3]!.id).toBe(node);
  });

  test.each(['failed', 'cancelled'])('is none when it never was one: %s', async (status) => {
    const store = await projected([responsesTurn('a', 1, { input: 'Q' }, response('resp_a', status))]);
    const { landed } = await seen(store);
    expect(landed.a).not.toHaveProperty('node');
  });
});

test('alternatives are siblings, and what was spent is said once', async () => {
  const turn = chatTurn('a', 1, [user('Q')], assistant('X'));
  const choices = ['X', 'Y'].map((text, index) => ({ index, message: assistant(text), finish_reason: 'stop' }));
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const store = await projected([{ ...turn, response: JSON.stringify({ id: 'c', model: 'm', choices, usage }) }]);
  const forest = newForest(store);
  const { landed } = await seen(store);
  const { node } = landed.a as { node: string };
  const siblings = await forest.siblings(node);
  expect(siblings.map(({ message }) => message.text)).toEqual(['X', 'Y']);
  expect(siblings.map(({ takes }) => takes[0]?.usage?.output)).toEqual([2, undefined]);
});
