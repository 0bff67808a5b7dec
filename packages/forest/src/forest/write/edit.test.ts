import { anthropicMessages, assistant, openaiChat, system, toolResult, user, writeRequest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { ECHO_START, extendEcho } from '../../model/echo.ts';
import { ROOT } from '../../model/ids.ts';
import { memoryStore, type Store } from '../../store/index.ts';
import { createForest, type Forest } from '../index.ts';

const chat = (value: unknown) => openaiChat.parseMessage(JSON.stringify(value));
const call = chat({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
});
const usage = { input: 3, cacheRead: 1, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0, native: '{}' };

const texts = async (forest: Forest, id: string) => (await forest.path(id)).map(({ message }) => message.text);
const shape = async (forest: Forest) =>
  (await forest.topology()).items.map(({ id, parent }) => `${parent.slice(0, 6)}>${id.slice(0, 6)}`).sort();

/** Everything a store says, to see that a refusal changed nothing. */
async function everything(store: Store): Promise<unknown> {
  const nodes = (await store.scan({ limit: 10_000 })).items;
  const takes = await store.takes(nodes.map(({ id }) => id));
  const refs = await Promise.all(
    (['node', 'thread', 'bookmark'] as const).map(async (on) => (await store.refs({ on, limit: 10_000 })).items),
  );
  return { nodes, takes, refs };
}

async function refusal(forest: Forest, action: () => Promise<unknown>): Promise<string> {
  const before = await everything(forest.store);
  const error = (await action().then(
    () => ({ code: 'nothing was refused' }),
    (reason: unknown) => reason,
  )) as { code: string };
  expect(await everything(forest.store)).toEqual(before);
  return error.code;
}

describe('what is refused has no effect', () => {
  const forest = createForest(memoryStore());

  test('unknown, ambiguous and malformed ids', async () => {
    for (const id of ['ffffffff', 'f'.repeat(40)]) {
      expect(await refusal(forest, () => forest.edit(id, 'x'))).toBe('unknown_node');
      expect(await refusal(forest, () => forest.split(id, 1))).toBe('unknown_node');
      expect(await refusal(forest, () => forest.remove(id))).toBe('unknown_node');
      expect(await refusal(forest, () => forest.restore(id))).toBe('unknown_node');
      expect(await refusal(forest, () => forest.graft(id, ROOT))).toBe('unknown_node');
      expect(await refusal(forest, () => forest.tag(id, { a: true }))).toBe('unknown_node');
      expect(await refusal(forest, () => forest.bookmarks.add(id))).toBe('unknown_node');
    }
    expect(await refusal(forest, () => forest.remove('../etc'))).toBe('not_an_id');
    expect(await refusal(forest, () => forest.remove(ROOT))).toBe('unknown_node');
    expect(await refusal(forest, () => forest.edit('root', 'x'))).toBe('unknown_node');
  });

  test('editing or splitting what is not only text', async () => {
    const made = await forest.append(ROOT, [user('Go'), call]);
    const answered = await forest.append(made, [toolResult('c1', 'done')]);
    const claude = anthropicMessages.parseMessage(
      '{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Yes"}]}',
    );
    const thought = await forest.append(answered, [claude]);
    for (const id of [made, answered, thought]) {
      expect(await refusal(forest, () => forest.edit(id, 'x'))).toBe('not_text');
      expect(await refusal(forest, () => forest.split(id, 1))).toBe('not_text');
    }
    const rules = await forest.append(ROOT, [system('Be brief')]);
    expect(await refusal(forest, () => forest.split(rules, 2))).toBe('not_text');
    expect(await refusal(forest, () => forest.edit(rules, ''))).toBe('empty_text');
  });

  test('splitting at the ends of a text, outside of it, or inside a character', async () => {
    const id = await forest.append(ROOT, [user('ab🐻')]);
    for (const at of [0, -1, 3, 4, 5, 1.5, Number.NaN])
      expect(await refusal(forest, () => forest.split(id, at))).toBe('bad_position');
  });

  test('removing at or above a bookmark, also one that followed its node', async () => {
    const top = await forest.append(ROOT, [user('Top')]);
    const leaf = await forest.append(top, [assistant('Middle'), user('Leaf')]);
    const { id } = await forest.bookmarks.add(leaf, 'Keep');
    expect(await refusal(forest, () => forest.remove(top))).toBe('bookmarked');
    expect(await refusal(forest, () => forest.remove(leaf, { keepChildren: true }))).toBe('bookmarked');
    const { first } = await forest.split(top, 1);
    expect(await refusal(forest, () => forest.remove(first))).toBe('bookmarked');
    await forest.bookmarks.remove(id);
    await forest.remove(first);
    await expect(forest.bookmarks.rename(id, 'x')).rejects.toMatchObject({ code: 'unknown_bookmark' });
  });

  test('grafting a node below itself', async () => {
    const top = await forest.append(ROOT, [user('Self')]);
    const leaf = await forest.append(top, [assistant('Below')]);
    expect(await refusal(forest, () => forest.graft(top, leaf))).toBe('below_itself');
    expect(await refusal(forest, () => forest.graft(top, top))).toBe('below_itself');
    expect((await forest.graft(leaf, top)).moved.size).toBe(0);
  });
});

test('an edit is a sibling that says what it was made from', async () => {
  let time = 0;
  const forest = createForest(memoryStore(), { now: () => ++time });
  const id = await forest.append(ROOT, [chat({ role: 'user', content: 'Helo' })]);
  await forest.append(id, [assistant('Hi')]);
  const edited = await forest.edit(id.slice(0, 8), 'Hello');
  const node = await forest.node(edited);
  expect(node).toMatchObject({ parent: ROOT, role: 'user', dialect: 'blocks', childCount: 0 });
  expect(node.takes).toMatchObject([{ via: 'edit', from: id, author: 'person' }]);
  expect((await forest.siblings(id)).map((one) => one.message.text)).toEqual(['Helo', 'Hello']);
  expect(await forest.edit(edited, 'Hello')).toBe(edited);
});

describe('an edit of a message with images and files', () => {
  const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AQL/' } } as const;
  const text = (words: string) => ({ type: 'text', text: words }) as const;

  test('changes the text, and keeps them in their places', async () => {
    const forest = createForest(memoryStore());
    const id = await forest.append(ROOT, [user([text('Helo'), image, text('Wat is it?')])]);
    const { message } = await forest.node(await forest.edit(id, 'What is it?'));
    expect(message.content).toEqual([text('What is it?'), image]);
    const behind = await forest.append(ROOT, [user([image, text('Wat?')])]);
    expect((await forest.node(await forest.edit(behind, 'What?'))).message.content).toEqual([image, text('What?')]);
  });

  test('adds a text where there was none', async () => {
    const forest = createForest(memoryStore());
    const id = await forest.append(ROOT, [user([image])]);
    expect((await forest.node(await forest.edit(id, 'What?'))).message.content).toEqual([image, text('What?')]);
    expect(await refusal(forest, () => forest.split(id, 1))).toBe('not_text');
  });

  test("keeps them from a provider's own form", async () => {
    const forest = createForest(memoryStore());
    const own = anthropicMessages.parseMessage(
      '{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AQL/"}},{"type":"text","text":"Wat?"}]}',
    );
    const id = await forest.append(ROOT, [own]);
    expect((await forest.node(await forest.edit(id, 'What?'))).message.content).toEqual([image, text('What?')]);
  });
});

test('an edit of the root puts a system text above what is carried, and refuses a second one', async () => {
  const forest = createForest(memoryStore());
  const question = await forest.append(ROOT, [user('Q')]);
  const end = await forest.append(question, [chat({ role: 'assistant', content: 'A' })], { model: 'm' });
  const now = await forest.edit('root', 'S', { carry: end });
  expect(await texts(forest, now)).toEqual(['S', 'Q', 'A']);
  expect(await texts(forest, end)).toEqual(['Q', 'A']);
  const [top] = await forest.path(now);
  expect(top).toMatchObject({ role: 'system', takes: [{ via: 'edit', from: question, author: 'person' }] });
  expect((await forest.node(now)).takes).toMatchObject([{ model: 'm', via: 'edit', from: end }]);
  expect(await refusal(forest, () => forest.edit('root', 'T', { carry: now }))).toBe('has_system');
});

describe('splitting', () => {
  test('both halves, what hangs below and all that points to it are found again', async () => {
    const forest = createForest(memoryStore());
    const said = await forest.append(ROOT, [system('S'), user('Q'), chat({ role: 'assistant', content: 'One two' })]);
    const left = await forest.append(said, [user('Left')]);
    const right = await forest.append(said, [user('Right'), assistant('End')]);
    await forest.tag(said, { good: true });
    await forest.note(left, 'mine');
    await forest.rate(right, 4);
    const thread = await forest.threads.create({ head: right });
    const bookmark = await forest.bookmarks.add(left);
    const { first, second, moved } = await forest.split(said, 4);

    expect(await texts(forest, right)).toEqual(['S', 'Q', 'One ', 'two', 'Right', 'End']);
    expect(moved.size).toBe(4);
    expect(await forest.resolve(said.slice(0, 10))).toBe(second);
    expect((await forest.node(second)).parent).toBe(first);
    expect((await forest.node(second)).marks.tags).toEqual(['good']);
    expect((await forest.node(left)).marks).toMatchObject({ note: 'mine' });
    expect((await forest.node(right)).marks).toMatchObject({ rating: 4 });
    expect((await forest.threads.get(thread.id)).head).toBe(moved.get(right));
    expect((await forest.bookmarks.list()).items).toMatchObject([{ id: bookmark.id, node: moved.get(left) }]);
    const { parent } = await forest.node(first);
    expect((await forest.children(parent)).items.map(({ id }) => id)).toEqual([first]);
    expect(await forest.fsck()).toEqual([]);
  });

  test('depth, lead and echo are those of the new place: a client that sends it back is recognised', async () => {
    const forest = createForest(memoryStore());
    const lead = await forest.append(ROOT, [system('S')]);
    const old = await forest.append(lead, [user('Q'), assistant('One two'), user('More')]);
    await forest.split((await forest.node(old)).parent, 4);
    const node = await forest.node(old);
    const [record] = await forest.store.nodes([node.id]);
    const path = (await forest.path(old)).map(({ message }) => message);
    expect(record).toMatchObject({ depth: 5, lead, echo: path.reduce(extendEcho, ECHO_START).text });
    expect(await forest.match(path)).toMatchObject({ node: node.id, by: 'exact' });
    // A client from before the split still sends the whole text.
    const before = [system('S'), user('Q'), assistant('One two'), user('More'), assistant('New')];
    const seen = await forest.observe(before);
    expect((await forest.node(seen.head)).parent).toBe(node.id);
  });

  test('a split text is sent whole, in every protocol, and never across tool use', async () => {
    const forest = createForest(memoryStore());
    const said = await forest.append(ROOT, [user('Question'), assistant('One two three')]);
    const { second } = await forest.split(said, 4);
    await forest.split(second, 4);
    const asked = await forest.append(said, [user('And?')]);
    await forest.split((await forest.path(asked))[0]!.id, 3);
    const messages = await forest.messages(asked);
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Question'],
      ['assistant', 'One two three'],
      ['user', 'And?'],
    ]);
    expect((await forest.path(asked)).map(({ message }) => message.text)).toHaveLength(6);
    const whole = { model: 'm', messages: [user('Question'), assistant('One two three'), user('And?')] };
    for (const dialect of [openaiChat, anthropicMessages])
      expect(writeRequest(dialect, { model: 'm', messages }).body).toBe(writeRequest(dialect, whole).body);

    const withCall = await forest.append(asked, [call, toolResult('c1', '1'), assistant('A'), call]);
    expect((await forest.messages(withCall)).slice(3)).toHaveLength(4);
  });

  test('what a model went on with is one text with its beginning; what would lose something is left alone', async () => {
    const forest = createForest(memoryStore());
    const begun = await forest.append(ROOT, [user('Go'), assistant('Once upon')]);
    const plain = await forest.append(begun, [chat({ role: 'assistant', content: ' a time' })]);
    expect((await forest.messages(plain)).map(({ text }) => text)).toEqual(['Go', 'Once upon a time']);
    const odd = await forest.append(begun, [chat({ role: 'assistant', content: ' a time', audio_ref: { id: 'a' } })]);
    expect((await forest.messages(odd)).at(-1)!.raw).toContain('audio_ref');
    const native = ['A', 'B'].map((content) => chat({ role: 'user', content }));
    expect((await forest.messages(await forest.append(ROOT, native))).map(({ raw }) => raw)).toEqual(
      native.map(({ raw }) => raw),
    );
  });
});

describe('takes that are carried over', () => {
  const reply = chat({ role: 'assistant', content: 'One two' });
  const facts = { via: 'generate', author: 'model', model: 'gpt', usage, cost: 0.5 } as const;

  test('say how they came, keep what was said of the reply, and count once', async () => {
    const forest = createForest(memoryStore());
    const said = await forest.append(ROOT, [user('Q'), reply], facts);
    const other = await forest.append(ROOT, [user('Elsewhere')]);
    const { first, second } = await forest.split(said, 4);
    for (const id of [first, second])
      expect((await forest.node(id)).takes).toMatchObject([
        { via: 'split', from: said, author: 'model', usage, carried: { via: 'generate' } },
      ]);
    await forest.graft(first, other);
    expect((await forest.node(second)).takes).toMatchObject([{ via: 'graft', carried: { via: 'generate' } }]);
    const total = { replies: 1, cost: 0.5, withoutPrice: 0, usage: { input: 3, cacheRead: 1, output: 2 } };
    expect(await forest.usage({ path: second })).toMatchObject(total);
    expect(await forest.usage({ below: ROOT })).toMatchObject(total);
    expect(await forest.usage({ since: 0 })).toMatchObject(total);
    await forest.gc();
    expect(await forest.usage({ since: 0 })).toMatchObject(total);
  });
});

describe('grafting', () => {
  test('there and back again is the same tree, and no id leads in a circle', async () => {
    const forest = createForest(memoryStore());
    const top = await forest.append(ROOT, [user('A')]);
    const leaf = await forest.append(top, [assistant('B'), user('C')]);
    const onto = await forest.append(ROOT, [user('X')]);
    const before = await shape(forest);
    const { parent } = await forest.node(leaf);
    await forest.graft(parent, onto);
    expect(await texts(forest, leaf)).toEqual(['X', 'B', 'C']);
    await forest.graft(parent, top);
    expect(await texts(forest, leaf)).toEqual(['A', 'B', 'C']);
    expect(await shape(forest)).toEqual(before);
    expect(await forest.resolve(leaf)).toBe(leaf);
  });

  test('where the same messages are, they become one', async () => {
    const forest = createForest(memoryStore());
    const a = await forest.append(ROOT, [user('A'), assistant('Same'), user('1')]);
    const b = await forest.append(ROOT, [user('B'), assistant('Same'), user('2')]);
    const [, same] = await forest.path(a);
    const [onto, target] = await forest.path(b);
    await forest.graft(same!.id, onto!.id);
    expect(await forest.resolve(same!.id)).toBe(target!.id);
    expect((await forest.children(target!.id)).items.map(({ message }) => message.text).sort()).toEqual(['1', '2']);
  });

  test('bodies are not written again', async () => {
    const store = memoryStore();
    const kinds: string[] = [];
    const spy: Store = {
      ...store,
      append(records) {
        kinds.push(...records.map(({ k }) => k));
        return store.append(records);
      },
    };
    const forest = createForest(spy);
    const top = await forest.append(ROOT, [user('A'), assistant('B'), user('C')]);
    const onto = await forest.append(ROOT, [user('X')]);
    kinds.length = 0;
    await forest.graft((await forest.path(top))[0]!.id, onto);
    expect(kinds.toSorted()).toEqual([...Array(3).fill('node'), ...Array(3).fill('ref'), ...Array(3).fill('take')]);
  });
});

describe('removing', () => {
  test('hides everywhere, can be taken back, and comes back when it is said again', async () => {
    const forest = createForest(memoryStore());
    const top = await forest.append(ROOT, [user('Apple')]);
    const leaf = await forest.append(top, [assistant('Apple pie')]);
    await forest.remove(top);
    expect((await forest.children(ROOT)).items).toEqual([]);
    expect((await forest.children(top)).items).toEqual([]);
    expect((await forest.leaves()).items).toEqual([]);
    expect((await forest.descendants(ROOT)).items).toEqual([]);
    expect((await forest.search('apple')).items).toEqual([]);
    expect((await forest.topology({ withRemoved: true })).items).toMatchObject([{ removed: true }, { removed: true }]);
    expect((await forest.children(ROOT, { withRemoved: true })).items).toMatchObject([{ id: top, removed: true }]);
    expect((await forest.node(leaf)).removed).toBe(true);
    await forest.restore(leaf);
    expect((await forest.descendants(ROOT)).items.map(({ id }) => id)).toEqual([top, leaf]);
    await forest.remove(top);
    await forest.append(ROOT, [user('Apple')]);
    expect((await forest.search('pie')).items).toHaveLength(1);
    await forest.remove(top);
    await forest.observe([user('Apple'), assistant('Apple pie'), user('More')]);
    expect((await forest.leaves()).items.map(({ message }) => message.text)).toEqual(['More']);
  });

  test('with its children kept, also when one of them says the same as the node', async () => {
    const forest = createForest(memoryStore());
    const leaf = await forest.append(ROOT, [user('hi'), user('hi'), assistant('yes')]);
    const [top] = await forest.path(leaf);
    await forest.append(top!.id, [assistant('no')]);
    await forest.remove(top!.id, { keepChildren: true });
    expect(await texts(forest, leaf)).toEqual(['hi', 'yes']);
    const roots = (await forest.children(ROOT)).items;
    expect(roots.map(({ message }) => message.text).sort()).toEqual(['hi', 'no']);
    expect((await forest.children(top!.id)).items.map(({ message }) => message.text)).toEqual(['yes']);
  });
});

test('what was worked out for one history is not said of another', async () => {
  const forest = createForest(memoryStore());
  const id = await forest.append(ROOT, [user('A'), assistant('B')]);
  const onto = await forest.append(ROOT, [user('X')]);
  const value = { upTo: 2, digest: 'd', replacement: [] };
  await forest.store.append([{ k: 'ref', on: 'node', key: id, name: 'checkpoint', value, clock: forest.clock.tick() }]);
  const { moved } = await forest.graft(id, onto);
  expect((await forest.store.refs({ on: 'node', keys: [...moved.values()] })).items).toEqual([]);
});
