import type { EntryRecord, RefRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { same } from './check.ts';
import { allPages, makeEntry, makeRef } from './store-samples.ts';

/** Registers and entries: what changes, and lists of it. */
export const listCases: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  'of two values of a register the one with the later clock counts, in whatever order they come': async (store) => {
    const [old, late] = [makeRef('t', 'title', 'old', 'c1'), makeRef('t', 'title', 'late', 'c2')];
    const other = makeRef('t', 'head', 'x', 'c0');
    await store.append([late, other]);
    await store.append([old]);
    same((await store.refs({ on: 'thread', names: ['title'] })).items, [late], 'after an older one');
    const later = makeRef('t', 'title', 'later', 'c3');
    await store.append([later, late]);
    same((await store.refs({ on: 'thread', keys: ['t'] })).items, [other, later], 'after a later one');
  },

  'a register without a value is left out, and an older value does not bring it back': async (store) => {
    await store.append([makeRef('t', 'title', 'a', 'c1'), makeRef('u', 'title', 'b', 'c2')]);
    await store.append([makeRef('t', 'title', null, 'c3')]);
    await store.append([makeRef('t', 'title', 'a', 'c2')]);
    same(
      (await store.refs({ on: 'thread' })).items.map(({ key }) => key),
      ['u'],
      'keys',
    );
    await store.append([makeRef('t', 'title', 'again', 'c4')]);
    same(
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
      same((await store.refs(query)).items, all, 'oldest first');
      same((await store.refs({ ...query, order: 'newest' })).items, [...all].reverse(), 'newest first');
      same(await allPages((page) => store.refs({ ...query, ...page })), all, 'pages');
      same(
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
    same(
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
    same((await store.refs({ on: 'thread' })).items, made, 'registers');
    same((await store.refs({ on: 'thread', keys: ['a'] })).items, [made[1]], 'one of them');
  },

  'of two entries with the same kind and id the one with the later clock counts': async (store) => {
    const first = makeEntry('g1', { k: 'generation', clock: 'c1', of: 'n1', order: '1', data: { state: 'open' } });
    const done = { ...first, clock: 'c2', data: { state: 'done' } };
    const namesake = makeEntry('g1', { k: 'exchange', clock: 'c0' });
    await store.append([first, namesake]);
    await store.append([done]);
    await store.append([first]);
    same(await store.entry('generation', 'g1'), done, 'entry');
    same((await store.entries('generation')).items, [done], 'entries');
    same(await store.entry('exchange', 'g1'), namesake, 'another kind with the same id');
    const moved = { ...first, clock: 'c3', of: 'n2', order: '9' };
    await store.append([moved]);
    same((await store.entries('generation', { of: 'n1' })).items, [], 'entries of where it was');
    same((await store.entries('generation', { of: 'n2' })).items, [moved], 'entries of where it is');
  },

  'entries are listed by order and id, either way, of one thing or of all, behind a place, in pages': async (store) => {
    const made: EntryRecord[] = [];
    for (let index = 0; index < 24; index++)
      made.push(makeEntry(`e${(index * 5) % 24}`, { of: `g${index % 2}`, order: String((index * 11) % 12) }));
    await store.append([...made, makeEntry('other', { k: 'exchange', of: 'g1' })]);
    const all = [...made].sort((a, b) => compareText(a.order, b.order) || compareText(a.id, b.id));
    for (const of of [undefined, 'g0', 'g1', 'none']) {
      for (const afterOrder of [undefined, '', '10', '5', '9', 'z']) {
        for (const way of ['oldest', 'newest'] as const) {
          const query = { order: way, ...(of && { of }), ...(afterOrder !== undefined && { afterOrder }) };
          const isBehind = (order: string, place: string) => (way === 'oldest' ? order > place : order < place);
          const inside = all.filter(
            (entry) =>
              (of === undefined || entry.of === of) && (afterOrder === undefined || isBehind(entry.order, afterOrder)),
          );
          const expected = way === 'oldest' ? inside : inside.reverse();
          same((await store.entries('event', query)).items, expected, `entries ${JSON.stringify(query)}`);
          same(await allPages((page) => store.entries('event', { ...query, ...page }), 5), expected, 'pages');
        }
      }
    }
  },
};

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byClock = (a: RefRecord, b: RefRecord) => compareText(a.clock, b.clock);
