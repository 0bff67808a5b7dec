import { describe, expect, test } from 'vitest';
import { compactJson, indentJson, jsonPieces, prettyJson } from './json-text.ts';

const TRICKY = String.raw`{"a":12345678901234567890,"b":1.0,"c":-1e400,"d":"\u00e9 \" } , : [","e":[],"f":{},"g":[1,[2,{"h":null}]],"a":true}`;

const joined = (text: string) => [...jsonPieces(text)].map((piece) => piece.text).join('');
const withoutSpace = (text: string) =>
  [...jsonPieces(text)]
    .filter(({ kind }) => kind !== 'space')
    .map((piece) => piece.text)
    .join('');

describe('pieces', () => {
  test('are the text itself', () => {
    for (const text of [TRICKY, ' \n{ "a" : 1 }\r\n', 'no json at all', '"cut in the midd', '"ends in \\', ''])
      expect(joined(text)).toBe(text);
  });

  test('keys are told from texts', () => {
    expect([...jsonPieces('{"a":"b"}')].map(({ kind }) => kind)).toEqual(['mark', 'key', 'mark', 'text', 'mark']);
  });
});

describe('pretty', () => {
  test('alters nothing but the space between', () => {
    expect(withoutSpace(indentJson(TRICKY))).toBe(TRICKY);
  });

  test('keeps numbers that a double cannot hold, and keys that come twice', () => {
    const lines = indentJson(TRICKY).split('\n');
    expect(lines).toContain('  "a": 12345678901234567890,');
    expect(lines).toContain('  "b": 1.0,');
    expect(lines).toContain('  "c": -1e400,');
    expect(lines.filter((line) => line.startsWith('  "a"'))).toHaveLength(2);
  });

  test('is what JSON.stringify makes of a text that survives it', () => {
    const value = { a: [1, { b: 'c d' }, [], {}], e: null, f: { g: true } };
    expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  });

  test('space that was there before is not doubled', () => {
    const text = JSON.stringify({ a: [1, 2], b: {} }, null, 7);
    expect(indentJson(text)).toBe(JSON.stringify({ a: [1, 2], b: {} }, null, 2));
  });

  test('a text that was cut is shown as far as it goes', () => {
    expect(indentJson('{"a":["b')).toBe('{\n  "a": [\n    "b');
    expect(indentJson('}}]')).toContain('}');
  });
});

test('what is no JSON, or not yet, is given back as it came', () => {
  expect(prettyJson('{"city": "Lis')).toBe('{"city": "Lis');
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(compactJson('{ "a" : 1, "b c": 2 }')).toBe('{"a":1,"b c":2}');
  expect(compactJson('{ "a"')).toBe('{ "a"');
});
