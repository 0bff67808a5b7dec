import { describe, expect, it } from 'vitest';
import {
  Changes,
  ensureMember,
  findLoneSurrogates,
  getMember,
  isJson,
  isObject,
  isText,
  leafNode,
  listNode,
  mapElements,
  overlay,
  parseTree,
  prependElements,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  splice,
  textNode,
} from './index.ts';

describe('changes of one text', () => {
  const RAW = ' { "a" : {"b": 1.0, "c": [10, 20, 30]}, "d": "x", "a2": null }';
  const changed = (...sets: [path: (string | number)[], text?: string][]): string => {
    const changes = new Changes();
    for (const [path, text] of sets) changes.set(path, text);
    return splice(RAW, changes.edits(RAW));
  };

  it('replaces, removes and adds at any depth, and leaves all else as it was', () => {
    expect(changed()).toBe(RAW);
    expect(changed([['a', 'b'], '2'])).toBe(RAW.replace('1.0', '2'));
    expect(changed([['a', 'c', 1], '"new"'])).toBe(RAW.replace('20', '"new"'));
    expect(JSON.parse(changed([['d']]))).toEqual({ a: { b: 1, c: [10, 20, 30] }, a2: null });
    expect(JSON.parse(changed([['e'], '[]']))).toEqual({ ...JSON.parse(RAW), e: [] });
    expect(JSON.parse(changed([['a', 'x'], 'true'])).a).toEqual({ b: 1, c: [10, 20, 30], x: true });
  });

  it('removes neighbours together, down to an empty list or object', () => {
    expect(JSON.parse(changed([['a', 'c', 0]], [['a', 'c', 1]])).a.c).toEqual([30]);
    expect(JSON.parse(changed([['a', 'c', 0]], [['a', 'c', 1]], [['a', 'c', 2]])).a.c).toEqual([]);
    expect(JSON.parse(changed([['a']], [['d']], [['a2']]))).toEqual({});
  });

  it('changes nothing inside a value that is replaced or removed as a whole', () => {
    expect(changed([['a'], '0'], [['a', 'b'], '5'])).toBe(changed([['a'], '0']));
    expect(changed([['a']], [['a', 'b'], '5'])).toBe(changed([['a']]));
    expect(changed([['a', 'b'], '5'], [['a', 'c']])).not.toContain('"c"');
  });

  it('changes nothing inside a value that is not there', () => {
    expect(changed([['none', 'b'], '5'])).toBe(RAW);
  });

  it('changes every member of a name that is there twice', () => {
    const changes = new Changes();
    changes.set(['a'], '3');
    const twice = '{"a":1,"a":2}';
    expect(splice(twice, changes.edits(twice))).toBe('{"a":3,"a":3}');
  });
});

describe('edits of one text', () => {
  it('at the same place come in the order of their ends, however they are given', () => {
    const [before, instead] = [
      { start: 1, end: 1, text: '-' },
      { start: 1, end: 2, text: 'X' },
    ];
    expect(splice('abc', [instead, before])).toBe('a-Xc');
    expect(splice('abc', [before, instead])).toBe('a-Xc');
  });

  it('that end before they start are refused', () => {
    expect(() => splice('abc', [{ start: 2, end: 1, text: '' }])).toThrow();
  });

  it('are none for a text without escapes', () => {
    expect(findLoneSurrogates('"plain"')).toEqual([]);
  });

  it('of no elements add no comma', () => {
    expect(splice('[1]', [prependElements('[1]', 0, [])])).toBe('[1]');
  });
});

describe('members of a tree', () => {
  const record = () => parseTree('{"a":1,"b":{"c":null},"a":2}') as RecordNode;

  it('are found and replaced where JSON.parse finds them: the last of a name', () => {
    const tree = record();
    expect(getMember(tree, 'a')).toEqual(leafNode('2'));
    expect(getMember(tree, 'none')).toBeUndefined();
    setMember(tree, 'a', textNode('x'));
    setMember(tree, 'new', leafNode('true'), '"\\u006eew"');
    expect(printTree(tree)).toBe('{"a":1,"b":{"c":null},"a":"x","\\u006eew":true}');
  });

  it('are made where they are missing or of another kind', () => {
    const tree = record();
    const there = getMember(tree, 'b');
    expect(ensureMember(tree, 'b', recordNode)).toBe(there);
    const list = ensureMember(tree, 'b', () => listNode());
    list.items.push(leafNode('1'));
    ensureMember(tree, 'd', () => textNode('t'));
    expect(printTree(tree)).toBe('{"a":1,"b":[1],"a":2,"d":"t"}');
  });
});

describe('a later value over an earlier one', () => {
  const over = (before: string, later: string, nullCounts: boolean) =>
    printTree(overlay(parseTree(before), parseTree(later), nullCounts));

  it('replaces member by member, and lists whole', () => {
    const before = '{"a":{"b":1,"c":[1,2]},"d":"x"}';
    expect(over(before, '{"a":{"c":[3],"n":{}},"e":0}', false)).toBe('{"a":{"b":1,"c":[3],"n":{}},"d":"x","e":0}');
    expect(over(before, '7', false)).toBe('7');
    expect(over('7', '{"a":1}', false)).toBe('{"a":1}');
  });

  it('is replaced by null only where null counts', () => {
    expect(over('{"a":{"b":1},"d":2}', '{"a":null,"d":null,"n":null}', false)).toBe('{"a":{"b":1},"d":2,"n":null}');
    expect(over('{"a":{"b":1},"d":2}', '{"a":null,"d":null}', true)).toBe('{"a":null,"d":null}');
    expect(over('{"a":1}', '{"a":"null"}', false)).toBe('{"a":"null"}');
  });
});

describe('what a value is', () => {
  it('tells objects from null, lists and other values', () => {
    expect([{}, { a: 1 }, [], null, 'x', 1, undefined].map(isObject)).toEqual([true, true, ...Array(5).fill(false)]);
  });

  it('tells texts from empty ones and other values', () => {
    expect(['x', ' ', '', 0, null, undefined].map(isText)).toEqual([true, true, false, false, false, false]);
  });

  it('tells JSON from other texts', () => {
    expect(['{"a":1}', ' [] ', '"x"', '{"a":1,}', '', 'x'].map(isJson)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

it('elements of a list come with their value, exact text and index; there are none without a list', () => {
  const text = '{"n":1,"list":[ 1.0 , {"a" : 2},"x"]}';
  const read = (value: unknown, exact: string, index: number) => [value, exact, index];
  expect(mapElements(text, JSON.parse(text), 'list', read)).toEqual([
    [1, '1.0', 0],
    [{ a: 2 }, '{"a" : 2}', 1],
    ['x', '"x"', 2],
  ]);
  expect(mapElements(text, JSON.parse(text), 'n', read)).toEqual([]);
  expect(mapElements(text, JSON.parse(text), 'none', read)).toEqual([]);
});
