import { describe, expect, it } from 'vitest';
import { type MergeRule, mergeDelta, parseTree, printTree, type RecordNode, recordNode } from './index.ts';

const rule: MergeRule = { replaced: new Set(['id', 'type']) };

function merged(...deltas: string[]): string {
  const target = recordNode();
  for (const delta of deltas) mergeDelta(target, parseTree(delta) as RecordNode, rule);
  return printTree(target);
}

describe('joining streamed deltas', () => {
  it('joins strings at the level of their escapes, so that a character cut in half becomes whole', () => {
    expect(merged('{"a":"x\\ud83d"}', '{"a":"\\ude00"}')).toBe('{"a":"x\\ud83d\\ude00"}');
  });

  it('merges objects, appends arrays, replaces other values, and lets null change nothing', () => {
    expect(
      merged(
        '{"a":{"b":"1"},"n":1,"l":[1.0]}',
        '{"a":{"b":"2","c":true},"n":2512292042121000001,"l":[2],"x":null}',
        '{"a":null,"x":0}',
      ),
    ).toBe('{"a":{"b":"12","c":true},"n":2512292042121000001,"l":[1.0,2],"x":0}');
  });

  it('merges elements by index, in the order they first came', () => {
    expect(
      merged(
        '{"calls":[{"index":1,"id":"b","f":{"a":"{"}}]}',
        '{"calls":[{"index":0,"id":"a","f":{"a":""}},{"index":1,"id":"","f":{"a":"}"}}]}',
      ),
    ).toBe('{"calls":[{"index":1,"id":"b","f":{"a":"{}"}},{"index":0,"id":"a","f":{"a":""}}]}');
  });

  it('lets a dialect say which element goes on, or that none does', () => {
    const told: MergeRule = {
      ...rule,
      continued: (list, items) =>
        list === 'parts' ? (items[0] as RecordNode | undefined) : list === 'new' ? null : undefined,
    };
    const target = recordNode();
    for (const text of ['"a"', '"b"']) {
      const lists = ['parts', 'new', 'others'].map((list) => `"${list}":[{"index":0,"t":${text}}]`);
      mergeDelta(target, parseTree(`{${lists.join(',')},"more":[1]}`) as RecordNode, told);
    }
    expect(printTree(target)).toBe(
      '{"parts":[{"index":0,"t":"ab"}],"new":[{"index":0,"t":"a"},{"index":0,"t":"b"}],"others":[{"index":0,"t":"ab"}],"more":[1,1]}',
    );
  });

  it('replaces a value by one of another kind', () => {
    expect(merged('{"a":"x"}', '{"a":1}')).toBe('{"a":1}');
    expect(merged('{"a":1}', '{"a":"x"}')).toBe('{"a":"x"}');
    expect(merged('{"a":{"b":1}}', '{"a":"x"}')).toBe('{"a":"x"}');
    expect(merged('{"a":"x"}', '{"a":{"b":1}}')).toBe('{"a":{"b":1}}');
    const elements = ['{"a":[{"index":0,"t":"a"}]}', '{"a":[{"index":0,"t":"b"}]}'];
    expect(merged('{"a":"x"}', ...elements)).toBe('{"a":[{"index":0,"t":"ab"}]}');
  });

  it('appends elements whose index is missing or no whole number', () => {
    for (const element of ['{"t":"a"}', '{"index":-1,"t":"a"}', '{"index":1.5,"t":"a"}', '{"index":"0","t":"a"}'])
      expect(merged(`{"l":[${element}]}`, `{"l":[${element}]}`)).toBe(`{"l":[${element},${element}]}`);
    expect(merged('{"l":[{"index":10,"t":"a"}]}', '{"l":[{"index":10,"t":"b"}]}')).toBe(
      '{"l":[{"index":10,"t":"ab"}]}',
    );
  });

  it('keeps the index of an element that goes on under another one', () => {
    const told: MergeRule = { ...rule, continued: (_, items) => items[0] as RecordNode | undefined };
    const target = recordNode();
    for (const index of [0, 2]) mergeDelta(target, parseTree(`{"l":[{"index":${index},"t":"a"}]}`) as RecordNode, told);
    expect(printTree(target)).toBe('{"l":[{"index":0,"t":"aa"}]}');
  });

  it('keeps an index that is data', () => {
    expect(
      merged('{"details":[{"index":0,"type":"t","text":"a"}]}', '{"details":[{"index":0,"type":"t","text":"b"}]}'),
    ).toBe('{"details":[{"index":0,"type":"t","text":"ab"}]}');
    expect(merged('{"o":{"index":3}}')).toBe('{"o":{"index":3}}');
    const told: MergeRule = { ...rule, continued: (_, items) => items[0] as RecordNode | undefined };
    const target = parseTree('{"l":[{"index":"tit","t":"a"}]}') as RecordNode;
    mergeDelta(target, parseTree('{"l":[{"index":"le","t":"b"}]}') as RecordNode, told);
    expect(printTree(target)).toBe('{"l":[{"index":"title","t":"ab"}]}');
  });

  it('replaces what is sent whole, but not by an empty string', () => {
    expect(merged('{"id":"a"}', '{"id":""}', '{"id":"b"}')).toBe('{"id":"b"}');
  });
});
