import type { EntryRecord, RefRecord, StoreRecord } from '../model/records.ts';
import type { Store } from '../store/index.ts';
import {
  allPages,
  check,
  checkEqual,
  makeBody,
  makeEntry,
  makeNode,
  makePath,
  makeRef,
  makeTake,
  toRecords,
} from './store-samples.ts';

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
    checkEqual(await store.nodes([node.id]), [known], 'node');
    checkEqual(await store.takes([node.id]), [take], 'take');
    checkEqual((await store.refs({ on: 'thread' })).items, [ref], 'ref');
    checkEqual(await store.entry('event', 'e1'), entry, 'entry');
    checkEqual(await store.bodies([body.digest]), [body.text], 'body');
  },

  'a text that does not have its hash is not given, and reported': async (store) => {
    const { node, body } = makeNode('Hello');
    await store.append([{ ...body, text: body.text.replace('Hello', 'Hallo') }, node]);
    checkEqual(await store.bodies([body.digest, body.digest]), [undefined, undefined], 'texts');
    const [problem] = store.problems();
    checkEqual([problem?.code, problem?.subject], ['wrong-hash', body.digest], 'problem');
    check(
      (await store.check()).some(({ code }) => code === 'wrong-hash'),
      'a check finds it',
    );
  },

  'a record that is there already changes nothing': async (store) => {
    const path = makePath(['a', 'b']);
    const take = makeTake(path[0]!.node, 1);
    const records = [...toRecords(path), take, makeRef('t', 'n', 1, 'c1'), makeEntry('e1')];
    await store.append([...records, ...records]);
    const { next } = await store.changes();
    await store.append(records);
    await Promise.all([store.append(records), store.append(records)]);
    checkEqual((await store.scan()).items.length, 2, 'nodes');
    checkEqual((await store.takes([path[0]!.node.id])).length, 1, 'takes');
    checkEqual(await store.childCounts([path[0]!.node.id]), [1], 'children');
    checkEqual((await store.entries('event')).items.length, 1, 'entries');
    checkEqual((await store.changes(next)).items, [], 'changes');
  },

  'a node that is written again later keeps the time it was first written': async (store) => {
    const { node, body } = makeNode('Hello', { at: 10 });
    await store.append([body, node]);
    await store.append([body, { ...node, at: 20 }]);
    checkEqual(await store.nodes([node.id]), [node], 'node');
  },

  'a node that arrives with an earlier time takes that time, so that copies agree': async (store) => {
    const { node, body } = makeNode('Hello', { at: 10 });
    await store.append([body, node]);
    checkEqual((await store.search({ words: ['hello'] })).items.length, 1, 'found');
    await store.append([{ ...node, at: 5 }]);
    checkEqual(await store.nodes([node.id]), [{ ...node, at: 5 }], 'node');
    checkEqual((await store.children(node.parent)).items, [{ ...node, at: 5 }], 'children');
    checkEqual((await store.scan()).items, [{ ...node, at: 5 }], 'scan');
    checkEqual((await store.search({ words: ['hello'] })).items.length, 1, 'found once');
  },

  'what is not there is undefined': async (store) => {
    const { node, body } = makeNode('Hello');
    await store.append([body, node]);
    const unknown = makeNode('other').node;
    checkEqual(await store.nodes([unknown.id, node.id, unknown.id]), [undefined, node, undefined], 'nodes');
    checkEqual(await store.bodies([unknown.body, body.digest]), [undefined, body.text], 'bodies');
    checkEqual(await store.entry('event', 'none'), undefined, 'entry');
    checkEqual(await store.takes([unknown.id]), [], 'takes');
    checkEqual([await store.nodes([]), await store.bodies([]), await store.takes([])], [[], [], []], 'of nothing');
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
    await Promise.all(made.map((one) => store.append(toRecords([one]))));
    const ids = made.map(({ node }) => node.id);
    checkEqual(
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
    checkEqual(await store.entry('omen' as 'event', 'x1'), like, 'entry of an unknown kind');
    const seen: StoreRecord[] = [];
    await store.compact((record) => seen.push(record) > 0);
    checkEqual(
      seen.filter(({ k }) => k === like.k),
      [like],
      'what compacting sees of the first kind',
    );
    const texts = seen.filter(({ k }) => k === unlike.k).map((record) => JSON.stringify(record));
    checkEqual(texts.sort(), [unlike, other].map((record) => JSON.stringify(record)).sort(), 'and of the second');
  },
};

/** Registers and entries, and lists of them. */
export const listCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'of two values of a register the one with the later clock counts, in whatever order they come': async (store) => {
    const [old, late] = [makeRef('t', 'title', 'old', 'c1'), makeRef('t', 'title', 'late', 'c2')];
    const other = makeRef('t', 'head', 'x', 'c0');
    await store.append([late, other]);
    await store.append([old]);
    checkEqual((await store.refs({ on: 'thread', names: ['title'] })).items, [late], 'after an older one');
    const later = makeRef('t', 'title', 'later', 'c3');
    await store.append([later, late]);
    checkEqual((await store.refs({ on: 'thread', keys: ['t'] })).items, [other, later], 'after a later one');
  },

  'a register without a value is left out, and an older value does not bring it back': async (store) => {
    await store.append([makeRef('t', 'title', 'a', 'c1'), makeRef('u', 'title', 'b', 'c2')]);
    await store.append([makeRef('t', 'title', null, 'c3')]);
    await store.append([makeRef('t', 'title', 'a', 'c2')]);
    checkEqual(
      (await store.refs({ on: 'thread' })).items.map(({ key }) => key),
      ['u'],
      'keys',
    );
    await store.append([makeRef('t', 'title', 'again', 'c4')]);
    checkEqual(
      (await store.refs({ on: 'thread' })).items.map(({ key }) => key),
      ['u', 't'],
      'keys with the new value',
    );
  },

  'registers are chosen by what they are on, key and name, listed by clock and paged': async (store) => {
    const made: RefRecord[] = [];
    for (let index = 0; index < 30; index++) {
      const clock = String((index * 7) % 30).padStart(3, '0');
      made.push(makeRef(`k${index % 5}`, `n${index % 3}`, index, clock, index % 2 ? 'node' : 'thread'));
    }
    await store.append(made);
    const latest = new Map<string, RefRecord>();
    for (const ref of [...made].sort(byClock)) latest.set(`${ref.on}/${ref.key}/${ref.name}`, ref);
    const expected = (on: string, keys?: string[], names?: string[]) =>
      [...latest.values()]
        .filter((ref) => ref.on === on && (keys?.includes(ref.key) ?? true) && (names?.includes(ref.name) ?? true))
        .sort(byClock);
    for (const [keys, names] of [[], [['k1', 'k3']], [undefined, ['n2', 'n0']], [['k1'], ['n1']], [[], []]] as const) {
      const query = { on: 'node', ...(keys && { keys }), ...(names && { names }) } as const;
      const all = expected('node', keys && [...keys], names && [...names]);
      checkEqual((await store.refs(query)).items, all, 'oldest first');
      checkEqual((await store.refs({ ...query, order: 'newest' })).items, [...all].reverse(), 'newest first');
      checkEqual(await allPages((page) => store.refs({ ...query, ...page })), all, 'pages');
      checkEqual(
        await allPages((page) => store.refs({ ...query, order: 'newest', ...page })),
        [...all].reverse(),
        'pages back',
      );
    }
  },

  'pages of registers go on when the one they stopped at has changed': async (store) => {
    const made = ['a', 'b', 'c', 'd', 'e'].map((key, index) => makeRef(key, 'title', key, `c${index}`));
    await store.append(made);
    const first = await store.refs({ on: 'thread', limit: 2 });
    await store.append([makeRef('b', 'title', null, 'c7')]);
    const rest = await store.refs({ on: 'thread', limit: 10, after: first.next! });
    checkEqual(
      rest.items.map(({ key }) => key),
      ['c', 'd', 'e'],
      'the rest',
    );
  },

  'registers with awkward keys stay apart': async (store) => {
    const made = [
      makeRef('a/b', 'c', 1, 'c1'),
      makeRef('a', 'b/c', 2, 'c2'),
      makeRef('', '', 3, 'c3'),
      makeRef('__proto__', 'constructor', 4, 'c4'),
      makeRef('ä😀 %_\'"\\', '\u2028', 5, 'c5'),
    ];
    await store.append(made);
    checkEqual((await store.refs({ on: 'thread' })).items, made, 'registers');
    checkEqual((await store.refs({ on: 'thread', keys: ['a'] })).items, [made[1]], 'one of them');
  },

  'of two entries with the same kind and id the one with the later clock counts': async (store) => {
    const first = makeEntry('g1', { k: 'generation', clock: 'c1', of: 'n1', order: '1', data: { state: 'open' } });
    const done = { ...first, clock: 'c2', data: { state: 'done' } };
    const namesake = makeEntry('g1', { k: 'exchange', clock: 'c0' });
    await store.append([first, namesake]);
    await store.append([done]);
    await store.append([first]);
    checkEqual(await store.entry('generation', 'g1'), done, 'entry');
    checkEqual((await store.entries('generation')).items, [done], 'entries');
    checkEqual(await store.entry('exchange', 'g1'), namesake, 'another kind with the same id');
    const moved = { ...first, clock: 'c3', of: 'n2', order: '9' };
    await store.append([moved]);
    checkEqual((await store.entries('generation', { of: 'n1' })).items, [], 'entries of where it was');
    checkEqual((await store.entries('generation', { of: 'n2' })).items, [moved], 'entries of where it is');
  },

  'entries are listed by order and id, either way, of one thing, of several or of all, behind a place, in pages':
    async (store) => {
      const made: EntryRecord[] = [];
      for (let index = 0; index < 24; index++)
        made.push(makeEntry(`e${(index * 5) % 24}`, { of: `g${index % 2}`, order: String((index * 11) % 12) }));
      await store.append([...made, makeEntry('other', { k: 'exchange', of: 'g1' })]);
      const all = [...made].sort((a, b) => compareText(a.order, b.order) || compareText(a.id, b.id));
      for (const of of [undefined, 'g0', 'g1', 'none', ['g1', 'none', 'g0', 'g1'], ['g0'], []]) {
        for (const afterOrder of [undefined, '', '10', '5', '9', 'z']) {
          for (const way of ['oldest', 'newest'] as const) {
            const query = { order: way, ...(of && { of }), ...(afterOrder !== undefined && { afterOrder }) };
            const isBehind = (order: string, place: string) => (way === 'oldest' ? order > place : order < place);
            const inside = all.filter(
              (entry) =>
                (of === undefined || [of].flat().includes(entry.of)) &&
                (afterOrder === undefined || isBehind(entry.order, afterOrder)),
            );
            const expected = way === 'oldest' ? inside : inside.reverse();
            checkEqual((await store.entries('event', query)).items, expected, `entries ${JSON.stringify(query)}`);
            checkEqual(await allPages((page) => store.entries('event', { ...query, ...page }), 5), expected, 'pages');
          }
        }
      }
    },
};

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byClock = (a: RefRecord, b: RefRecord) => compareText(a.clock, b.clock);

const SOON_MS = 5_000;

/** Changes, problems and compaction. */
export const changeCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'changes are told once, in order, and only what is new': async (store) => {
    await store.append(toRecords(makePath(['before'])));
    const start = await store.changes();
    checkEqual([start.items, start.reset], [[], false], 'without a place to start from');
    const { node, body } = makeNode('Hello');
    const take = makeTake(node, 1);
    await store.append([body, node, take, makeRef('t', 'title', 'a', 'c2'), makeEntry('e1', { of: 'g7' })]);
    await store.append([makeRef('t', 'title', 'old', 'c1')]);
    const { items, next, reset } = await store.changes(start.next);
    const expected = [
      { kind: 'node', key: node.id },
      { kind: 'take', key: take.id, of: node.id },
      { kind: 'ref', key: 'thread/t/title' },
      { kind: 'event', key: 'e1', of: 'g7' },
    ];
    checkEqual([items.filter(({ kind }) => kind !== 'body'), reset], [expected, false], 'changes');
    checkEqual((await store.changes(next)).items, [], 'afterwards');
    checkEqual((await store.changes(start.next)).items, items, 'the same question again');
  },

  'a place that nobody knows means reading anew': async (store) => {
    for (const after of ['', 'nonsense', '-1', '99999999']) {
      const { reset, next } = await store.changes(after);
      check(reset, `changes(${JSON.stringify(after)}) did not say reset`);
      checkEqual((await store.changes(next)).reset, false, 'reset from the new place');
    }
  },

  'a listener hears of a write until it is taken away': async (store) => {
    let calls = 0;
    const heard = new Promise<void>((resolve) => {
      const stop = store.watch(() => {
        calls += 1;
        stop();
        resolve();
      });
    });
    await store.append(toRecords([makeNode('one')]));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the listener was not called')), SOON_MS);
    });
    await Promise.race([heard, late]).finally(() => clearTimeout(timer));
    await store.append(toRecords([makeNode('two')]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    checkEqual(calls, 1, 'calls');
  },

  'its own writer lives, an unknown one does not': async (store) => {
    await store.append(toRecords([makeNode('one')]));
    check(/^[0-9A-Za-z_-]{1,40}$/.test(store.writer), `${store.writer} cannot be part of a stamp`);
    checkEqual([await store.isAlive(store.writer), await store.isAlive('nobody')], [true, false], 'isAlive');
  },

  'a sound store has no problems': async (store) => {
    const path = makePath(['a', 'b']);
    await store.append([...toRecords(path), makeTake(path[0]!.node, 1), makeRef('t', 'n', 1, 'c'), makeEntry('e')]);
    checkEqual([store.problems(), await store.check()], [[], []], 'problems');
  },

  'compacting keeps what it is told, and nothing else': async (store) => {
    const [a, b, c] = makePath(['a', 'b', 'c']);
    const takes = [a!, b!, c!].map(({ node }, at) => makeTake(node, at));
    const refs = [makeRef('t', 'n', 'old', 'c1'), makeRef('t', 'n', 'new', 'c2'), makeRef('u', 'n', 1, 'c3')];
    const entries = [makeEntry('e1'), makeEntry('e2')];
    await store.append([...toRecords([a!, b!, c!]), ...takes, ...refs, ...entries]);
    await store.search({ words: ['c'] });
    const { next } = await store.changes();
    const gone = new Set<unknown>([c!.node.id, c!.body.digest, takes[2]!.id, 'u', 'e2']);
    const result = await store.compact(
      (record) =>
        ![
          ('id' in record && record.id) || '',
          ('digest' in record && record.digest) || '',
          ('key' in record && record.key) || '',
        ].some((name) => gone.has(name)),
    );
    check(result.kept >= 8 && result.removed >= 5, `kept ${result.kept} and removed ${result.removed}`);
    const ids = [a!, b!, c!].map(({ node }) => node.id);
    checkEqual(await store.nodes(ids), [a!.node, b!.node, undefined], 'nodes');
    checkEqual((await store.scan()).items, [a!.node, b!.node], 'scan');
    checkEqual(await store.childCounts(ids), [1, 0, 0], 'children');
    checkEqual(await store.bodies([a!.body.digest, c!.body.digest]), [a!.body.text, undefined], 'bodies');
    checkEqual(await store.takes(ids), takes.slice(0, 2), 'takes');
    checkEqual((await store.refs({ on: 'thread' })).items, [refs[1]], 'refs');
    checkEqual((await store.entries('event')).items, [entries[0]], 'entries');
    checkEqual((await store.search({ words: ['c'] })).items, [], 'search');
    check((await store.changes(next)).reset, 'who listened before is not told to read anew');
    await store.append(toRecords([c!]));
    checkEqual(await store.nodes(ids), [a!.node, b!.node, c!.node], 'nodes after writing again');
  },
};
