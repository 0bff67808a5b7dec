/** What placement writes: threads, redirects, and the version of its rules. */
import { user as says } from '@skein/core';
import { memoryStore } from '@skein/forest';
import { overlayStore } from '@skein/forest/store';
import { describe, expect, test } from 'vitest';
import { makeRef } from '../src/forest/index.ts';
import { ROOT } from '../src/model/ids.ts';
import type { RefRecord, StoreRecord } from '../src/model/records.ts';
import { PLACEMENT_RULES } from '../src/record/placement.ts';
import { createProjector } from '../src/record/projection/projector.ts';
import { type Recorded, recordsOf } from './record-exchanges.ts';
import { newForest } from './record-kit.ts';
import { assistant, calls, chat, person, result, session, system, user } from './record-placement-kit.ts';

const [A, B, C, D] = [user('A'), assistant('B'), user('C'), assistant('D')];
const sealed = (text: string) => ({ ...assistant(text), reasoning_content: `About ${text}` });
const ID = 'call_8fj20dk3';

/** A store, its projector, and all that was written to it. */
function begin() {
  const written: StoreRecord[] = [];
  const inner = memoryStore();
  const store = overlayStore(inner, {
    append: async (records) => {
      written.push(...records);
      await inner.append(records);
    },
  });
  const forest = newForest(store);
  const projector = createProjector(forest);
  const put = async (...exchanges: readonly Recorded[]) => {
    for (const one of exchanges) await inner.append(recordsOf(one));
    written.length = 0;
    await projector.run();
  };
  const register = async (on: RefRecord['on'], key: string, name: string) =>
    (await inner.refs({ on, keys: [key], names: [name] })).items[0]?.value;
  const landing = async ({ id }: Recorded) => (await register('forest', id, 'landed')) as Record<string, string>;
  const set = (on: RefRecord['on'], key: string, name: string, value: unknown) =>
    inner.append([makeRef(forest, on, key, name, value)]);
  const words = async (head: string) => (await forest.path(head)).map(({ message }) => message.text);
  const refs = (name: string) =>
    written.filter((record): record is RefRecord => record.k === 'ref' && record.name === name);
  return { store: inner, forest, projector, put, register, landing, set, words, written, refs };
}

describe('the version of the rules', () => {
  test('is stored with the first placement, and only once', async () => {
    const { put, register, refs } = begin();
    await put();
    expect(await register('forest', 'placement', 'rules')).toBeUndefined();
    await put(chat(1, [A], B));
    expect(await register('forest', 'placement', 'rules')).toBe(PLACEMENT_RULES);
    expect(refs('rules')).toHaveLength(1);
    await put(chat(2, [A, B, C], D));
    expect(refs('rules')).toHaveLength(0);
  });

  test.each([
    [PLACEMENT_RULES + 1, false],
    [PLACEMENT_RULES, true],
    [PLACEMENT_RULES - 1, true],
    ['newer', true],
  ])('that is newer leaves exchanges to those who know it: %s', async (rules, isPlaced) => {
    const { put, set, landing, register } = begin();
    await set('forest', 'placement', 'rules', rules);
    const one = chat(1, [A], B);
    await put(one);
    expect((await landing(one)) !== undefined).toBe(isPlaced);
    expect(await register('forest', 'placement', 'rules')).toBe(isPlaced ? PLACEMENT_RULES : rules);
  });
});

describe('placing again', () => {
  test('writes nothing where nothing changed, also if a placement has its members in another order', async () => {
    const { put, projector, written, landing, set } = begin();
    const [one, two] = [chat(1, [A], B), chat(2, [A, B, C], D)];
    await put(one, two);
    const before = await landing(one);
    await set('forest', one.id, 'landed', Object.fromEntries(Object.entries(before).reverse()));
    written.length = 0;
    expect(await projector.rebuild()).toMatchObject({ exchanges: 2, landed: 2, moved: 0 });
    expect(written).toEqual([]);
  });

  test('replaces a placement of older rules, and keeps the takes that are there', async () => {
    const { put, projector, written, landing, set, store } = begin();
    const one = chat(1, [A], B);
    await put(one);
    const after = await landing(one);
    const { rules: _, ...older } = after;
    await set('forest', one.id, 'landed', older);
    written.length = 0;
    expect(await projector.rebuild()).toMatchObject({ moved: 0 });
    expect(await landing(one)).toEqual(after);
    expect(written.filter(({ k }) => k === 'take')).toEqual([]);
    expect(await store.takes([after.node!])).toHaveLength(1);
  });

  test('replaces a placement that cannot be read', async () => {
    const { put, projector, landing, set } = begin();
    const one = chat(1, [A], B);
    await put(one);
    const after = await landing(one);
    await set('forest', one.id, 'landed', { state: 'unheard of' });
    await projector.rebuild();
    expect(await landing(one)).toEqual(after);
  });
});

describe('a thread', () => {
  test('has its registers, and only those that change are written again', async () => {
    const { put, landing, forest, refs } = begin();
    const [one, two] = [chat(1, [A], B, { hints: session('s') }), chat(5, [A, B, C], D, { hints: session('s') })];
    await put(one);
    const { thread, node } = await landing(one);
    expect(await forest.threads.get(thread!)).toMatchObject({
      ...{
        head: node,
        start: ROOT,
        title: 'A',
        createdAt: 1,
        updatedAt: 2,
        recorded: true,
        part: 'main',
        session: 's',
      },
    });
    for (const name of ['recorded', 'part', 'session', 'group', 'title', 'start'])
      expect(refs(name), name).toHaveLength(1);
    await put(two);
    expect(await forest.threads.get(thread!)).toMatchObject({ head: (await landing(two)).node, updatedAt: 6 });
    for (const name of ['recorded', 'part', 'session', 'created', 'title', 'start'])
      expect(refs(name), name).toHaveLength(0);
    for (const name of ['unrecorded', 'deleted', 'mergedInto']) expect(refs(name), name).toHaveLength(0);
  });

  test('keeps the title that a person gave it, and gets one if it had none', async () => {
    const { put, landing, forest, set } = begin();
    const [one, other] = [chat(1, [A], B), chat(2, [system('S')], assistant('Hello'))];
    await put(one, other);
    const [first, second] = [(await landing(one)).thread!, (await landing(other)).thread!];
    await set('thread', first, 'title', 'Mine');
    expect((await forest.threads.get(second)).title).toBe('');
    await put(chat(3, [A, B, C], D), chat(4, [system('S'), assistant('Hello'), C], D));
    expect((await forest.threads.get(first)).title).toBe('Mine');
    expect((await forest.threads.get(second)).title).toBe('C');
  });

  test('that turns out to be part of another one is deleted, and leads there', async () => {
    const { put, landing, register, forest } = begin();
    const [late, one] = [chat(1, [A], calls(ID)), chat(5, [A, calls(ID), result(ID)], B)];
    await put(one);
    const { thread } = await landing(one);
    await put(late);
    const now = (await landing(late)).thread!;
    expect((await landing(one)).thread).toBe(now);
    expect(now).not.toBe(thread);
    expect(await register('thread', thread!, 'deleted')).toBe(true);
    expect(await register('thread', thread!, 'mergedInto')).toBe(now);
    expect((await forest.threads.list()).items.map(({ id }) => id)).toEqual([now]);
  });

  test('that was part of another one is there again, once it has an exchange', async () => {
    const { put, landing, set, register } = begin();
    const one = chat(1, [A], B);
    await put(one);
    const { thread } = await landing(one);
    await set('thread', thread!, 'deleted', true);
    await set('thread', thread!, 'mergedInto', 'other');
    await put(chat(2, [A, B, C], D));
    expect(await register('thread', thread!, 'deleted')).toBe(false);
    expect(await register('thread', thread!, 'mergedInto')).toBe(false);
  });

  test('that a person deleted stays deleted', async () => {
    const { put, landing, set, register } = begin();
    const one = chat(1, [A], B);
    await put(one);
    const { thread } = await landing(one);
    await set('thread', thread!, 'deleted', true);
    await put(chat(2, [A, B, C], D));
    expect(await register('thread', thread!, 'deleted')).toBe(true);
  });

  test('into which a person wrote in an older release gets a fork with what they wrote', async () => {
    const { put, landing, set, forest, register, words } = begin();
    const one = chat(1, [A], B);
    const other = chat(2, [user('X')], assistant('Y'));
    await put(one, other);
    const { thread, node } = await landing(one);
    const own = await forest.append(node!, [says('My own words')]);
    await set('thread', thread!, 'head', own);
    await set('thread', thread!, 'title', 'Mine');
    await put(chat(3, [A, B, C], D));
    const forks = (await forest.threads.list()).items.filter(({ forkedFrom }) => forkedFrom !== undefined);
    expect(forks).toMatchObject([
      { forkedFrom: thread, head: own, title: 'Mine', start: ROOT, createdAt: 1, updatedAt: 2 },
    ]);
    expect(await words(forks[0]!.head)).toEqual(['A', 'B', 'My own words']);
    expect(await words((await forest.threads.get(thread!)).head)).toEqual(['A', 'B', 'C', 'D']);
    expect(forks[0]!.group).toBe((await forest.threads.get(thread!)).group);
    expect((await forest.threads.inGroup(forks[0]!.group!)).items.map(({ id }) => id).sort()).toEqual(
      [thread!, forks[0]!.id].sort(),
    );
    expect(await register('thread', (await landing(other)).thread!, 'forkedFrom')).toBeUndefined();
  });

  test('whose head is a node that nobody wrote gets no fork', async () => {
    const { put, landing, set, forest } = begin();
    const one = chat(1, [A], B);
    await put(one);
    await set('thread', (await landing(one)).thread!, 'head', 'f'.repeat(32));
    await put(chat(3, [A, B, C], D));
    expect((await forest.threads.list()).items).toHaveLength(1);
  });

  test('of a side call and of a session is in their row, and others are in that of their opening', async () => {
    const { put, landing, register } = begin();
    const titles = system('You are a title generator.');
    const exchanges = [
      chat(1, [titles, A], B),
      chat(2, [titles, C], D),
      chat(3, [A], B),
      chat(4, [A], D),
      chat(5, [C], D),
      chat(6, [A], B, { hints: session('s') }),
      chat(7, [C], B, { hints: session('s') }),
    ];
    await put(...exchanges);
    const groups = await Promise.all(
      exchanges.map(async (one) => register('thread', (await landing(one)).thread!, 'group')),
    );
    expect(groups[1]).toBe(groups[0]);
    expect(groups[3]).toBe(groups[2]);
    expect(groups[6]).toBe(groups[5]);
    expect(new Set(groups).size).toBe(4);
  });
});

describe('nodes that are no longer used', () => {
  test('lead to those that take their place, and those above that have none lead to the nearest that is left', async () => {
    const { put, landing, forest, register, words } = begin();
    const summary = Array.from({ length: 30 }, (_, at) => `It said ${at * at}.`).join(' ');
    const hints = session('s');
    const late = chat(1, [A], assistant(summary), { hints });
    const one = chat(9, [user('One'), user('Two'), user('Three'), user(`Before: ${summary}`), C], D, { hints });
    await put(one);
    const old = await landing(one);
    const added = old.added as unknown as string[];
    await put(late);
    const now = await landing(one);
    expect(now).toMatchObject({ found: 'compacted', thread: (await landing(late)).thread });
    expect(await words(now.node!)).toEqual(['A', summary, 'C', 'D']);
    expect(await forest.resolve(old.node!)).toBe(now.node);
    expect(await register('node', added.at(-1)!, 'moved')).toBe(now.parent);
    expect(await register('node', added[0]!, 'moved')).toBe(ROOT);
    expect(await register('node', added[1]!, 'moved')).toBe(ROOT);
    expect(await forest.fsck()).toEqual([]);
  });

  test('stay if a person wrote them or something below them, with all that is above', async () => {
    const { put, landing, forest, register } = begin();
    const one = chat(5, [A, assistant('B'), C], D);
    await put(one);
    const old = await landing(one);
    const added = old.added as unknown as string[];
    await forest.append(added[1]!, [says('My own words')]);
    await put(chat(1, [A], sealed('B')));
    expect(await register('node', old.node!, 'moved')).toBe((await landing(one)).node);
    expect(await register('node', added[2]!, 'moved')).toBe((await landing(one)).parent);
    expect(await register('node', added[1]!, 'moved')).toBeUndefined();
    expect(await register('node', added[0]!, 'moved')).toBeUndefined();
  });

  test('lead elsewhere also if what was below them had moved before', async () => {
    const { put, landing, register } = begin();
    const [one, two] = [chat(50, [A, B, C], D), chat(60, [A, B, C, D, user('E')], assistant('F'))];
    await put(one, two);
    const old = await landing(one);
    await put(chat(40, [A, B, C], sealed('D')));
    await put(chat(1, [A], sealed('B')));
    for (const id of [...(old.added as unknown as string[]).slice(1), old.node!])
      expect(typeof (await register('node', id, 'moved')), id).toBe('string');
  });

  test('are there again when an exchange uses them', async () => {
    const { put, landing, set, register } = begin();
    const one = chat(1, [A], B);
    await put(one);
    const { node, parent } = await landing(one);
    await set('node', node!, 'moved', 'elsewhere');
    await set('node', parent!, 'moved', 'elsewhere');
    await put(chat(2, [A, B, C], D), chat(3, [A], B, { hints: person('p') }));
    expect(await register('node', node!, 'moved')).toBe(false);
    expect(await register('node', parent!, 'moved')).toBe(false);
  });

  test('that a person removed are there again with a new exchange, not when one is placed again', async () => {
    const { put, landing, set, register, projector } = begin();
    const one = chat(1, [A], B);
    await put(one);
    const { node, ...older } = await landing(one);
    await set('node', node!, 'removed', true);
    await set('forest', one.id, 'landed', { ...older, node, rules: 1 });
    await projector.rebuild();
    expect(await register('node', node!, 'removed')).toBe(true);
    await put(chat(2, [A], B));
    expect(await register('node', node!, 'removed')).toBe(false);
  });
});
