import type { StoreRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { check, makeBody, makeEntry, makeNode, makePath, makeRef, makeTake, recordsOf, same } from './store-samples.ts';

const ODD_TEXTS: Readonly<Record<string, string>> = {
  empty: '',
  spaces: ' \t\r\n ',
  'line ends of every kind': 'a\nb\r\nc\rd\u2028e\u2029f\u0085g',
  'a zero byte': 'a\u0000b\u0000',
  'control characters': Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(''),
  'half of a character': 'a\ud800b',
  'the other half': '\udfffz',
  'halves in the wrong order': '\udc00\ud800',
  'characters beyond the first plane': '😀𝄞👩‍👩‍👧‍👦',
  'a byte order mark': '\ufeff{"a":1}',
  'what looks like an escape': '\\u0000 \\n "quoted" \\\\',
  'numbers that a parser would change': '{"a":1.0,"b":2512292042121000001,"a":1e400}',
  'what looks like a record': '{"k":"body","digest":"0","text":"x"}\n{"k":"node"}',
  'a million characters': 'Grüße 你好 '.repeat(100_000),
};

/** Writing, writing again, and what comes back. */
export const recordCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'an empty batch is fine': (store) => store.append([]),

  'what was written comes back as it was, with members that nobody knows': async (store) => {
    const { node, body } = makeNode('Hello');
    const known = { ...node, facts: { ...node.facts, calls: [{ id: 'c', name: 'f' }] }, later: { x: [1, null] } };
    const take = { ...makeTake(node, 5, { extra: { a: 1.5 }, cost: 0.001 }), later: 'y' };
    const ref = { ...makeRef('t', 'title', { deep: ['ä\u0000', null] }, 'c1'), later: 1 };
    const entry = { ...makeEntry('e1', { data: { text: 'a\u0000b\ud800', list: [1, [2]] } }), later: true };
    await store.append([body, known, take, ref, entry]);
    same(await store.nodes([node.id]), [known], 'node');
    same(await store.takes([node.id]), [take], 'take');
    same((await store.refs({ on: 'thread' })).items, [ref], 'ref');
    same(await store.entry('event', 'e1'), entry, 'entry');
    same(await store.bodies([body.digest]), [body.text], 'body');
  },

  'a text that does not have its hash is not given, and reported': async (store) => {
    const { node, body } = makeNode('Hello');
    await store.append([{ ...body, text: body.text.replace('Hello', 'Hallo') }, node]);
    same(await store.bodies([body.digest, body.digest]), [undefined, undefined], 'texts');
    const [problem] = store.problems();
    same([problem?.code, problem?.subject], ['wrong-hash', body.digest], 'problem');
    check(
      (await store.check()).some(({ code }) => code === 'wrong-hash'),
      'a check finds it',
    );
  },

  'a record that is there already changes nothing': async (store) => {
    const path = makePath(['a', 'b']);
    const take = makeTake(path[0]!.node, 1);
    const records = [...recordsOf(path), take, makeRef('t', 'n', 1, 'c1'), makeEntry('e1')];
    await store.append([...records, ...records]);
    const { next } = await store.changes();
    await store.append(records);
    await Promise.all([store.append(records), store.append(records)]);
    same((await store.scan()).items.length, 2, 'nodes');
    same((await store.takes([path[0]!.node.id])).length, 1, 'takes');
    same(await store.childCounts([path[0]!.node.id]), [1], 'children');
    same((await store.entries('event')).items.length, 1, 'entries');
    same((await store.changes(next)).items, [], 'changes');
  },

  'a node that is written again later keeps the time it was first written': async (store) => {
    const { node, body } = makeNode('Hello', { at: 10 });
    await store.append([body, node]);
    await store.append([body, { ...node, at: 20 }]);
    same(await store.nodes([node.id]), [node], 'node');
  },

  'what is not there is undefined': async (store) => {
    const { node, body } = makeNode('Hello');
    await store.append([body, node]);
    const unknown = makeNode('other').node;
    same(await store.nodes([unknown.id, node.id, unknown.id]), [undefined, node, undefined], 'nodes');
    same(await store.bodies([unknown.body, body.digest]), [undefined, body.text], 'bodies');
    same(await store.entry('event', 'none'), undefined, 'entry');
    same(await store.takes([unknown.id]), [], 'takes');
    same([await store.nodes([]), await store.bodies([]), await store.takes([])], [[], [], []], 'of nothing');
  },

  'texts of every kind come back with the same characters': async (store) => {
    const bodies = Object.values(ODD_TEXTS).map(makeBody);
    await store.append(bodies);
    const texts = await store.bodies(bodies.map(({ digest }) => digest));
    for (const [index, name] of Object.keys(ODD_TEXTS).entries())
      check(texts[index] === bodies[index]!.text, `the text with ${name} came back changed`);
  },

  'appends at the same time are all kept': async (store) => {
    const made = Array.from({ length: 200 }, (_, index) => makeNode(`n${index}`));
    await Promise.all(made.map((one) => store.append(recordsOf([one]))));
    const ids = made.map(({ node }) => node.id);
    same(
      await store.nodes(ids),
      made.map(({ node }) => node),
      'nodes',
    );
  },

  'a record of an unknown kind is kept, found like an entry where it looks like one': async (store) => {
    const like = makeEntry('x1', { k: 'omen' as 'event' });
    const unlike = { k: 'oddity', odd: [1, 'two'] } as unknown as StoreRecord;
    const other = { k: 'oddity', odd: [1, 'three'] } as unknown as StoreRecord;
    await store.append([like, unlike, other]);
    await store.append([like, unlike, other]);
    same(await store.entry('omen' as 'event', 'x1'), like, 'entry of an unknown kind');
    const seen: StoreRecord[] = [];
    await store.compact((record) => seen.push(record) > 0);
    same(
      seen.filter(({ k }) => k === like.k),
      [like],
      'what compacting sees of the first kind',
    );
    const texts = seen.filter(({ k }) => k === unlike.k).map((record) => JSON.stringify(record));
    same(texts.sort(), [unlike, other].map((record) => JSON.stringify(record)).sort(), 'and of the second');
  },
};
