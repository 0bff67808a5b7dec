import { describe, expect, test } from 'vitest';
import { ROOT_POINT } from '../../forest/index.ts';
import { ROOT, sha256 } from '../../model/ids.ts';
import { OlderFacts } from './fact-map.ts';
import {
  addIndexNode,
  createRecordedIndex,
  forkedThreadId,
  type IndexNode,
  indexedPath,
  leadsTo,
  placeAt,
  type RecordedIndex,
  recordedThreadId,
} from './recorded-index.ts';

function begin(): RecordedIndex {
  const index = createRecordedIndex();
  index.step();
  return index;
}

const node = (id: string, parent: string, depth: number, { echo = id, lead = ROOT, at = 1 } = {}) =>
  ({ place: { id, depth, lead, echo: { text: echo } }, parent, body: id, at }) as unknown as IndexNode;

describe('ids of threads', () => {
  test('are the same in every release: titles, tags and notes are stored under them', () => {
    expect(recordedThreadId('name\nmine')).toBe(sha256('skein-recorded/1\nname\nmine').slice(0, 16));
    expect(forkedThreadId('t', 'h')).toBe(recordedThreadId('fork\nt\nh'));
  });
});

describe('of the nodes with one echo', () => {
  test.each([
    ['the deepest counts', { depth: 3, at: 1 }, { depth: 2, at: 9 }],
    ['then the newest', { depth: 2, at: 9 }, { depth: 2, at: 1 }],
  ])('%s', (_what, best, other) => {
    for (const order of ['ab', 'ba']) {
      const index = begin();
      for (const id of order) {
        const { depth, at } = id === 'a' ? best : other;
        addIndexNode(index, node(id, ROOT, depth, { echo: 'e', at }));
      }
      expect(index.echoes.get(`e ${ROOT}`), order).toBe('a');
    }
  });

  test('the newest counts also if it has the higher id', () => {
    const index = begin();
    addIndexNode(index, node('b', ROOT, 1, { echo: 'e', at: 2 }));
    addIndexNode(index, node('a', ROOT, 1, { echo: 'e', at: 1 }));
    expect(index.echoes.get(`e ${ROOT}`)).toBe('b');
  });

  test('then the one with the lower id, whatever came first', () => {
    for (const order of ['ab', 'ba']) {
      const index = begin();
      for (const id of order) addIndexNode(index, node(id, ROOT, 1, { echo: 'e' }));
      expect(index.echoes.get(`e ${ROOT}`), order).toBe('a');
    }
  });

  test('those under another system text do not count', () => {
    const index = begin();
    addIndexNode(index, node('a', ROOT, 1, { echo: 'e', lead: 's' }));
    addIndexNode(index, node('b', ROOT, 9, { echo: 'e', lead: 't' }));
    expect([index.echoes.get('e s'), index.echoes.get('e t')]).toEqual(['a', 'b']);
  });
});

describe('paths', () => {
  const index = begin();
  for (const [id, parent, depth] of [
    ['a', ROOT, 1],
    ['b', 'a', 2],
    ['c', 'b', 3],
    ['d', 'a', 2],
  ] as const)
    addIndexNode(index, node(id, parent, depth));

  test.each([
    ['a', 'c', true],
    ['c', 'c', true],
    [ROOT, 'c', true],
    [ROOT, ROOT, true],
    ['c', 'a', false],
    ['d', 'c', false],
    ['d', ROOT, false],
    ['unknown', 'c', false],
  ])('whether %s is %s or above it', (id, below, is) => {
    expect(leadsTo(index, id, below)).toBe(is);
  });

  test('begin with the first message', () => {
    expect(indexedPath(index, 'c').map(({ place }) => place.id)).toEqual(['a', 'b', 'c']);
    expect(indexedPath(index, ROOT)).toEqual([]);
    expect(placeAt(index, ROOT)).toBe(ROOT_POINT);
    expect(placeAt(index, 'b').id).toBe('b');
  });
});

describe('steps', () => {
  test('are undone, last first, to what was there before, also where nothing was', () => {
    const index = createRecordedIndex();
    const first = index.step();
    index.set(index.latest, 'a', '1');
    const second = index.step();
    index.set(index.latest, 'a', '2');
    index.set(index.latest, 'a', '3');
    index.set(index.latest, 'b', '4');
    second.undo();
    expect([index.latest.get('a'), index.latest.has('b')]).toEqual(['1', false]);
    first.undo();
    expect([...index.latest.values()]).toEqual([]);
  });

  test('that are folded leave nothing in memory, and of long lists the newest 257', () => {
    const index = begin();
    for (let at = 0; at < 300; at++) {
      const next = index.anySystem.get('w');
      index.set(index.anySystem, 'w', { spot: { node: `n${at}` } as never, next });
    }
    index.set(index.awaiting, 'key', ['x']);
    const rows = index.fold([]);
    expect(index.anySystem.has('w')).toBe(false);
    expect(index.awaiting.has('key')).toBe(false);
    expect([...rows.keys()]).toEqual(['echo w']);
    const nodes: string[] = [];
    type List = { spot: { node: string }; next: List | undefined };
    for (let at = rows.get('echo w')!.get('any ') as List | undefined; at; at = at.next) nodes.push(at.spot.node);
    expect(nodes).toEqual(Array.from({ length: 257 }, (_, at) => `n${299 - at}`));
  });

  test('have their facts in the rows of what they are about', () => {
    const index = begin();
    index.set(index.continued, 'thread node', { id: 'x', start: 1, outcome: 'done' });
    index.set(index.turnAt, 'node', 'turn');
    index.set(index.lastUsed, 'echo system hints', { node: 'n' } as never);
    index.set(index.conversations, 'conv', { response: undefined, node: 'n', thread: 't' });
    index.set(index.responses, 'resp', { node: 'n' } as never);
    index.set(index.cuts, 'bytes hints', []);
    const rows = [...index.fold([])].map(([row, facts]) => [row, [...facts.keys()]]);
    expect(Object.fromEntries(rows)).toEqual({
      'node node': ['turn ', 'continued thread node'],
      'echo echo': ['used system hints'],
      'response conv': ['conversation '],
      'response resp': ['response '],
      'cut bytes': ['cuts hints'],
    });
  });
});

describe('facts that are not in memory', () => {
  /** An index over stored rows, which counts how often they are read. */
  const stored = () => {
    const older = new OlderFacts();
    older.isEmpty = false;
    const reads: number[] = [];
    const index = createRecordedIndex(older, async (keys) => {
      reads.push(keys.length);
      return keys.map(() => JSON.stringify({ 'latest ': 'stored' }));
    });
    return { index, reads, older };
  };

  test('are read before a result counts, also if it fails without them', async () => {
    const { index, reads } = stored();
    const found = await index.read(() => {
      const first = index.latest.get('a');
      if (first === undefined) throw new Error('half of what belongs together');
      return [first, index.latest.get('b')];
    });
    expect(found).toEqual(['stored', 'stored']);
    expect(reads).toEqual([1, 1]);
    await expect(index.read(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const fails = () => {
      throw new Error('its own mistake');
    };
    await expect(index.read(fails)).rejects.toMatchObject({ message: 'its own mistake' });
  });

  test('of several steps are read in one go, and the steps leave nothing', async () => {
    const { index, reads } = stored();
    const step = (key: string) => () => {
      if (index.latest.get(key) === undefined) index.set(index.latest, `made ${key}`, 'x');
    };
    const fails = () => {
      index.latest.get('c');
      throw new Error('without its facts');
    };
    await index.foresee([step('a'), fails, step('b')]);
    expect(reads).toEqual([4]);
    expect([...index.latest.values()]).toEqual([]);
    expect([index.latest.get('a'), index.latest.get('b'), index.latest.get('c')]).toEqual([
      'stored',
      'stored',
      'stored',
    ]);
    expect(reads).toEqual([4]);
    await index.foresee([step('a')]);
    expect(reads).toEqual([4]);
  });

  test('are not looked for where there are none', async () => {
    const { index, reads, older } = stored();
    older.isEmpty = true;
    await index.foresee([
      () => {
        throw new Error('not taken');
      },
    ]);
    expect(await index.read(() => index.latest.get('a'))).toBeUndefined();
    expect(reads).toEqual([]);
    await createRecordedIndex().foresee([() => index.latest.get('a')]);
  });
});
