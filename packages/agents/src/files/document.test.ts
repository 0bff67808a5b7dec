import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { tomlPlaces } from './document.ts';

const TEXT = `a = 1
"quoted.key" = 2
b.c = 3 # a = comment
text = """
not = "a key"
[nor.a.table]
"""
literal = '''
x = 1\\'''
list = [ # [
  "]", # ]
  { inline = 1 },
]
[table]
key = "has = and [ inside"
  [table."sub.one"]
  deep = { x = { y = 1 } }
[[many]]
n = 1
[many.inner]
m = 1
[[many]]
n = 2
`;

test('every key has its line, whatever stands in strings, arrays and comments', () => {
  expect(() => parse(TEXT)).not.toThrow();
  const places = tomlPlaces(TEXT);
  const lineOf = (...path: string[]) => places.get(JSON.stringify(path))?.line;
  expect(lineOf('a')).toBe(1);
  expect(lineOf('quoted.key')).toBe(2);
  expect(lineOf('b', 'c')).toBe(3);
  expect(lineOf('not')).toBeUndefined();
  expect(lineOf('nor')).toBeUndefined();
  expect(lineOf('x')).toBeUndefined();
  expect(lineOf('literal')).toBe(8);
  expect(lineOf('list')).toBe(10);
  expect(lineOf('table')).toBe(14);
  expect(lineOf('table', 'key')).toBe(15);
  expect(lineOf('table', 'sub.one', 'deep')).toBe(17);
  expect(lineOf('many', '0', 'n')).toBe(19);
  expect(lineOf('many', '0', 'inner', 'm')).toBe(21);
  expect(lineOf('many', '1', 'n')).toBe(23);
});
