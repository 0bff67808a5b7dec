import { anthropicMessages, assistant, openaiChat, system, user, writeRequest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { ROOT, sha256 } from '../../model/ids.ts';
import { storeManifest } from '../../model/manifest.ts';
import { memoryStore, type Store } from '../../store/index.ts';
import { createForest, type Forest } from '../index.ts';
import { makeSnippet, type SearchResult } from './search.ts';
import { rebuildRequest } from './sent-request.ts';

const chat = (role: string, content: string) => openaiChat.parseMessage(JSON.stringify({ role, content }));

describe('search', () => {
  const forest = createForest(memoryStore());
  const ids = (async () => {
    const fish = await forest.append(ROOT, [user('Tell me of the red fish')], { at: 1000 });
    const said = await forest.append(fish, [assistant('Fish are red, and red fish swim')], { at: 2000, model: 'gpt' });
    const bird = await forest.append(ROOT, [user('Red birds, no fish'), assistant('Fishing birds')], { at: 3000 });
    await forest.tag(bird, { good: true });
    return { fish, said, bird };
  })();
  const found = async (text: string, filters = {}) =>
    (await forest.search(text, filters)).items.map(({ node }) => node);

  test('all words, the last one also as the beginning of a word', async () => {
    const { fish, said, bird } = await ids;
    expect(new Set(await found('red fi'))).toEqual(new Set([fish, said, (await forest.node(bird)).parent]));
    expect(await found('fish bir')).toEqual([(await forest.node(bird)).parent]);
    expect(await found('fishi')).toEqual([bird]);
    expect(await found(' ,. ')).toEqual([]);
    expect(await found('whale')).toEqual([]);
  });

  test('by role, time, model, tag and place; an unknown place is an error', async () => {
    const { fish, said, bird } = await ids;
    expect(await found('fish', { roles: ['assistant'], until: 2500 })).toEqual([said]);
    expect(await found('fish', { since: 3000, roles: ['user'] })).toEqual([(await forest.node(bird)).parent]);
    expect(await found('red', { model: 'gpt' })).toEqual([said]);
    expect(await found('fish', { tag: 'good' })).toEqual([bird]);
    expect(await found('fish', { below: fish.slice(0, 8) })).toEqual([said]);
    await expect(found('fish', { below: 'ffff' })).rejects.toMatchObject({ code: 'unknown_node' });
  });

  test('pages end where they should, however much is left out between', async () => {
    const forest = createForest(memoryStore());
    const wanted: string[] = [];
    for (let index = 0; index < 60; index++) {
      const id = await forest.append(ROOT, [user(`word number ${index}`)]);
      if (index % 7 === 0) wanted.push(id);
      else await forest.remove(id);
    }
    for (const limit of [1, 3, 9, 100]) {
      const seen: string[] = [];
      for (let after: string | undefined, more = true; more; ) {
        const page = await forest.search('word', { limit, ...(after !== undefined && { after }) });
        expect(page.items.length).toBeGreaterThan(0);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items.map(({ node }) => node));
        after = page.next;
        more = after !== undefined;
      }
      expect(seen.toSorted()).toEqual(wanted.toSorted());
    }
    await expect(forest.search('word', { after: 'nonsense' })).rejects.toMatchObject({ code: 'bad_page' });
    for (const after of [
      '[[1]]',
      ROOT,
      `${ROOT}_x.1`,
      `${ROOT}_-1.-1`,
      `${ROOT}_-1.0.0.%E0%A4`,
      `${'ab'.repeat(20)}_3.0`,
    ])
      await expect(forest.topology({ after })).rejects.toMatchObject({ code: 'bad_page' });
  });

  test('a snippet shows the words in their place, whatever stands around them', () => {
    const long = `${'🐻 filler text '.repeat(40)}the Rëd fish${' more 🐻 text'.repeat(40)}`;
    const { snippet, marks } = makeSnippet(long, ['red', 'fis']);
    expect(marks.map(([start, end]) => snippet.slice(start, end))).toEqual(['Rëd', 'fish']);
    expect(snippet.length).toBeLessThan(250);
    expect(snippet).not.toMatch(/\p{Cs}/u);
    expect(makeSnippet('fish', ['fi'])).toEqual({ snippet: 'fish', marks: [[0, 4]] });
    expect(makeSnippet('', ['x'])).toEqual({ snippet: '', marks: [] });
  });
});

test('children and leaves of a node with thousands of them come page by page', async () => {
  const forest = createForest(memoryStore());
  const top = await forest.append(ROOT, [user('Top')]);
  const wanted: string[] = [];
  for (let index = 0; index < 1200; index++) wanted.push(await forest.append(top, [assistant(`${index}`)]));
  for (const list of [
    (page: object) => forest.children(top, page),
    (page: object) => forest.leaves(top, page),
    (page: object) => forest.topology({ below: top, ...page }),
  ]) {
    const seen: string[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const page = await list({ limit: 350, ...(after !== undefined && { after }) });
      seen.push(...page.items.map(({ id }) => id));
      after = page.next;
      more = after !== undefined;
    }
    expect(seen.toSorted()).toEqual(wanted.toSorted());
  }
});

test('the place in a walk down a long path stays short', async () => {
  const forest = createForest(memoryStore());
  await forest.append(
    ROOT,
    Array.from({ length: 1500 }, (_, index) => user(`${index}`)),
  );
  const page = await forest.topology({ limit: 1000 });
  expect(page.next!.length).toBeLessThan(200);
  expect((await forest.topology({ limit: 1000, after: page.next! })).items).toHaveLength(500);
});

test('the place in a walk down a path that branches everywhere fits into an address', async () => {
  const forest = createForest(memoryStore());
  const wanted: string[] = [];
  for (let index = 0, parent = ROOT as string; index < 400; index++) {
    const first = await forest.append(parent, [user(`${index}`)]);
    wanted.push(first, await forest.append(parent, [user(`${index}, again`)]));
    parent = first;
  }
  const seen: string[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = await forest.topology({ limit: 130, ...(after !== undefined && { after }) });
    seen.push(...page.items.map(({ id }) => id));
    expect(page.next?.length ?? 0).toBeLessThan(3000);
    after = page.next;
    more = after !== undefined;
  }
  expect(seen.toSorted()).toEqual(wanted.toSorted());
});

test('two paths are compared from where they part', async () => {
  const forest = createForest(memoryStore());
  const a = await forest.append(ROOT, [user('Q'), assistant('A'), user('More')]);
  const b = await forest.append(ROOT, [user('Q'), assistant('B')]);
  const { shared, sharedLength, ...rest } = await forest.diff(a, b.slice(0, 10));
  expect([shared, sharedLength]).toEqual([(await forest.path(a))[0]!.id, 1]);
  expect([rest.a, rest.b].map((path) => path.map(({ message }) => message.text))).toEqual([['A', 'More'], ['B']]);
  expect(await forest.diff(a, a)).toMatchObject({ shared: a, sharedLength: 3, a: [], b: [] });
  expect(await forest.diff(a, ROOT)).toMatchObject({ shared: ROOT, sharedLength: 0, b: [] });
});

describe('usage', () => {
  const usage = {
    input: 1,
    cacheRead: 10,
    cacheWrite5m: 100,
    cacheWrite1h: 1000,
    output: 2,
    reasoning: 3,
    native: '{}',
  };

  test('of a node, a subtree, a path, a thread and a time; unknown prices are counted', async () => {
    const forest = createForest(memoryStore());
    const one = await forest.append(ROOT, [user('Q'), chat('assistant', 'A')], { usage, cost: 1, at: 100 });
    const facts = { usage, provider: 'house', model: 'm', at: 200 };
    const two = await forest.append(one, [user('R'), chat('assistant', 'B')], facts);
    const fork = await forest.append(one, [user('S'), chat('assistant', 'C')], { usage, cost: 4, at: 300 });
    const thread = await forest.threads.create({ head: fork, start: (await forest.node(fork)).parent });
    expect(await forest.usage({ node: one })).toEqual({
      usage: { input: 1, cacheRead: 10, cacheWrite5m: 100, cacheWrite1h: 1000, output: 2, reasoning: 3 },
      cost: 1,
      withoutPrice: 0,
      replies: 1,
    });
    expect(await forest.usage({ path: two })).toMatchObject({ cost: 1, withoutPrice: 1, replies: 2 });
    expect(await forest.usage({ below: one })).toMatchObject({ cost: 5, withoutPrice: 1, replies: 3 });
    expect(await forest.usage({ thread: thread.id })).toMatchObject({ cost: 4, replies: 1 });
    expect(await forest.usage({ since: 200, until: 300 })).toMatchObject({ cost: null, withoutPrice: 1, replies: 1 });
    const costOf = (_usage: object, provider: string, model: string, at?: Date) => ({
      total: provider === 'house' && model === 'm' && at?.getTime() === 200 ? 2 : undefined,
    });
    expect(await forest.usage({ since: 200, until: 300 }, { costOf })).toMatchObject({ cost: 2, withoutPrice: 0 });
    await forest.remove(fork);
    expect(await forest.usage({ below: one })).toMatchObject({ replies: 2 });
    expect(await forest.usage({ since: 0 })).toMatchObject({ replies: 3 });
  });

  test('what the demo answered costs nothing', async () => {
    const forest = createForest(memoryStore());
    const origin = { ...chat('assistant', 'A').origin, issuer: 'skein-demo' };
    const said = await forest.append(ROOT, [user('Q'), chat('assistant', 'A')], { usage, origin });
    expect(await forest.usage({ node: said })).toMatchObject({ cost: 0, withoutPrice: 0, replies: 1 });
  });
});

/** Turns of a conversation, each with the manifest of the request that brought it; each extends the one before. */
async function talk(forest: Forest, turns: number): Promise<{ head: string; bodies: string[] }> {
  let head: string = await forest.append(ROOT, [system('Be brief')]);
  const bodies: string[] = [];
  let base: Parameters<typeof storeManifest>[1];
  for (let turn = 0; turn < turns; turn++) {
    head = await forest.append(head, [user(`Question ${turn}`)]);
    const messages = await forest.messages(head);
    const { body, manifest } = writeRequest(anthropicMessages, { model: 'claude-sonnet-4-5', messages });
    const [top, stored] = storeManifest(manifest, base);
    await forest.store.append([top, stored]);
    base = { digest: stored.digest, manifest };
    bodies.push(body);
    const reply = anthropicMessages.parseMessage(`{"role":"assistant","content":"Answer ${turn}"}`);
    const request = { manifest: stored.digest, sha256: sha256(body) };
    head = await forest.append(head, [reply], { via: 'generate', author: 'model', request });
  }
  return { head, bodies };
}

/** A store in which one text is another, or missing. */
function damagedStore(store: Store, digest: string, text: string | undefined): Store {
  const bodies: Store['bodies'] = async (digests) =>
    (await store.bodies(digests)).map((body, index) => (digests[index] === digest ? text : body));
  return { ...store, bodies };
}

describe('the exact request', () => {
  test('is rebuilt for every turn of a conversation, also when its nodes were moved or split, and after gc', async () => {
    const forest = createForest(memoryStore());
    const { head, bodies } = await talk(forest, 6);
    const replies = (await forest.path(head)).filter(({ role }) => role === 'assistant').map(({ id }) => id);
    const rebuilt = async () => Promise.all(replies.map(async (id) => (await forest.request(id)).body));
    expect(await rebuilt()).toEqual(bodies);
    await forest.split(replies[2]!, 3);
    await forest.graft(replies[4]!, ROOT);
    expect(await rebuilt()).toEqual(bodies);
    await forest.gc();
    expect(await rebuilt()).toEqual(bodies);
    expect(await forest.fsck()).toEqual([]);
    await expect(forest.request((await forest.path(head))[0]!.id)).resolves.toBeDefined();
    const asked = (await forest.path(replies[0]!))[1]!.id;
    await expect(forest.request(asked)).rejects.toMatchObject({ code: 'no_request' });
  });

  test('is an error when anything of it is damaged, and fsck says so', async () => {
    const store = memoryStore();
    const { head } = await talk(createForest(store), 3);
    const [record] = await store.nodes([head]);
    const [take] = await store.takes([head]);
    const { manifest } = take!.request!;
    const text = (await store.bodies([manifest]))[0]!;
    const [reply] = (await store.path(head)).filter(({ facts }) => facts.role === 'assistant');
    const changes: [string, string | undefined, string][] = [
      [manifest, undefined, 'wrong-request'],
      [manifest, text.slice(0, 20), 'wrong-request'],
      [manifest, text.replace('"keep":{"elements":', '"keep":{"elements":9'), 'wrong-request'],
      [JSON.parse(text).base, '{}', 'wrong-request'],
      [JSON.parse(text).head, 'x', 'wrong-request'],
      [reply!.body, `${(await store.bodies([reply!.body]))[0]} `.replace('Answer', 'Unswer'), 'wrong-hash'],
    ];
    for (const [digest, damaged, code] of changes) {
      const forest = createForest(damagedStore(store, digest, damaged));
      await expect(forest.request(head)).rejects.toMatchObject({ code: 'damaged' });
      expect((await forest.fsck()).map((problem) => problem.code)).toContain(code);
    }
    const forest = createForest(damagedStore(store, record!.body, undefined));
    expect(await forest.fsck()).toMatchObject([{ code: 'missing-body', where: head }]);
    await expect(forest.node(head)).rejects.toMatchObject({ code: 'unknown_body' });
  });
});

test('a stored request whose text is missing, or is no manifest, is reported as damaged', async () => {
  const store = memoryStore();
  const text = '{"format":"other"}';
  await store.append([{ k: 'body', digest: sha256(text), text }]);
  for (const manifest of [sha256('missing'), sha256(text)])
    await expect(rebuildRequest(store, { manifest, sha256: sha256('') })).rejects.toMatchObject({ code: 'damaged' });
});

test('an outline has every node that a walk visits, without removed ones, parents first', async () => {
  const forest = createForest(memoryStore());
  const a = await forest.append(ROOT, [user('a')]);
  const gone = await forest.append(a, [user('gone'), user('below it')]);
  const [, hidden] = await forest.path(gone);
  await forest.append(a, [user('b'), user('c')]);
  await forest.remove(hidden!.id);
  const parts: string[][] = [];
  for await (const nodes of forest.outline()) parts.push(nodes.map(({ id }) => id));
  const walked = (await forest.topology({ limit: 1000 })).items.map(({ id }) => id);
  expect(parts.flat()).toEqual(walked);
  expect(walked).toHaveLength(3);
});

describe('words in scripts without spaces', () => {
  const marked = ({ snippet, marks }: SearchResult) => marks.map(([start, end]) => snippet.slice(start, end));

  test.each([
    ['天気', '今日の天気はいい', ['天気']],
    ['天気予報', '明日の天気予報です', ['天気予報']],
    ['い', '今日の天気はいい', ['い', 'い']],
    ['カメラ', '新しいカメラを買う', ['カメラ']],
    ['날씨', '오늘날씨가좋다', ['날씨']],
    ['东京', '我去东京塔 Tokyo', ['东京']],
    ['tokyo 东京', '我去东京塔 Tokyo', ['东京', 'Tokyo']],
    ['GPT', 'モデルGPT5を使う', ['GPT5']],
  ])('%s is found inside a run, and marked', async (wanted, text, marks) => {
    const forest = createForest(memoryStore());
    await forest.append(ROOT, [user(text)]);
    await forest.append(ROOT, [user('別のこと')]);
    const { items } = await forest.search(wanted);
    expect(items.map(marked)).toEqual([marks]);
  });

  test('a word whose characters are only apart in a run is not found', async () => {
    const forest = createForest(memoryStore());
    await forest.append(ROOT, [user('天と気')]);
    expect((await forest.search('天気')).items).toEqual([]);
  });

  test('of equally good hits, the newest is first, on every page', async () => {
    const forest = createForest(memoryStore());
    for (const at of [300, 100, 500, 200, 400]) await forest.append(ROOT, [user(`same ${at}`)], { at });
    const first = await forest.search('same', { limit: 2 });
    const rest = await forest.search('same', { limit: 9, after: first.next! });
    expect([...first.items, ...rest.items].map(({ snippet }) => snippet)).toEqual([
      'same 500',
      'same 400',
      'same 300',
      'same 200',
      'same 100',
    ]);
  });
});
