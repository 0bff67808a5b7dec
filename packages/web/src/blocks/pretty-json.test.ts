import { expect, test } from 'vitest';
import { compactJson, prettyJson } from './pretty-json.ts';

test('a number too large for a double keeps its digits', () => {
  expect(prettyJson('{"id":9007199254740993,"f":1.0}')).toBe('{\n  "id": 9007199254740993,\n  "f": 1.0\n}');
});

test('signs inside strings are text', () => {
  expect(prettyJson('{"a":"{[,:]}\\"","b":[]}')).toBe('{\n  "a": "{[,:]}\\"",\n  "b": []\n}');
});

test('means the same as before', () => {
  const value = { a: [1, { b: null, c: [true, 'x'] }], d: {}, e: 'é "q"' };
  expect(JSON.parse(prettyJson(JSON.stringify(value)))).toEqual(value);
  expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
});

test('what is cut short is shown as it came', () => {
  expect(prettyJson('{"city": "Lis')).toBe('{"city": "Lis');
  expect(compactJson('{ "a" : 1 }')).toBe('{"a":1}');
});
