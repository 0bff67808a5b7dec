import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSkeinError } from '../error.ts';
import {
  addMember,
  canonical,
  elementTexts,
  find,
  findLoneSurrogates,
  findMembers,
  isJson,
  JsonTextError,
  MAX_DEPTH,
  MAX_LENGTH,
  parseJson,
  parseTree,
  prependElements,
  printTree,
  removeItems,
  removeMembers,
  splice,
  textAt,
} from './index.ts';
import { findJsonError } from './parse.ts';

/** JSON text as providers write it: odd spacing, odd escapes, odd numbers, duplicate keys. */
const space = fc.stringMatching(/^[ \n\r\t]{0,2}$/);
const number = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?$/),
  fc.constantFrom('1.0', '1e2', '-0', '2512292042121000001', '0.10'),
);
const stringText = fc
  .array(
    fc.oneof(
      fc.string({ minLength: 1, maxLength: 1 }).filter((char) => char >= ' ' && char !== '"' && char !== '\\'),
      fc.constantFrom(
        '\\n',
        '\\"',
        '\\\\',
        '\\/',
        '\\u2028',
        '\u2028',
        '\\ud83d',
        '\\ud83d\\ude00',
        '\\u00e9',
        'é',
        '😀',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `"${parts.join('')}"`);
const { text: jsonText } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    stringText,
    fc.constantFrom('true', 'false', 'null'),
    fc
      .tuple(space, fc.array(tie('text'), { maxLength: 4 }), space)
      .map(([a, items, b]) => `[${a}${items.join(`${b},${a}`)}${b}]`),
    fc
      .tuple(space, fc.array(fc.tuple(stringText, tie('text')), { maxLength: 4 }), space)
      .map(([a, members, b]) => `{${a}${members.map(([k, v]) => `${k}${b}:${a}${v}`).join(`${b},${a}`)}${b}}`),
  ),
}));

/** Every value in a text with its path, by the native parser. */
function* paths(value: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  yield path;
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* paths(item, [...path, i]);
  else if (typeof value === 'object' && value !== null)
    for (const [k, item] of Object.entries(value)) yield* paths(item, [...path, k]);
}

const valueAt = (value: unknown, path: (string | number)[]): unknown =>
  path.reduce((inner, step) => (inner as Record<string | number, unknown>)[step], value);

describe('cutting JSON text', () => {
  it('finds at every path the text of the value that the native parser finds there', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const value = JSON.parse(text);
        for (const path of paths(value)) {
          if (path.includes('__proto__')) continue;
          const cut = textAt(text, path);
          expect(cut).toBeDefined();
          expect(JSON.parse(cut!)).toEqual(valueAt(value, path));
        }
      }),
    );
  });

  it('gives numbers, escapes and spacing back as they were written', () => {
    const text = '{ "a" : [ 2512292042121000001, 1.0 , 1e2, "\\ud83d\\u2028\u2028" ], "a\\n": -0 }';
    expect(textAt(text, ['a', 0])).toBe('2512292042121000001');
    expect(textAt(text, ['a', 1])).toBe('1.0');
    expect(textAt(text, ['a', 3])).toBe('"\\ud83d\\u2028\u2028"');
    expect(textAt(text, ['a\n'])).toBe('-0');
    expect(elementTexts(textAt(text, ['a'])!)).toHaveLength(4);
  });

  it('takes the last of duplicate keys, as the native parser does', () => {
    expect(textAt('{"a":1,"b":2,"a":3}', ['a'])).toBe('3');
    expect(findMembers('{"a":1,"a":3}')).toHaveLength(2);
  });

  it('finds nothing where there is nothing', () => {
    expect(find('{"a":[1]}', ['a', 1])).toBeUndefined();
    expect(find('{"a":[1]}', ['a', 'x'])).toBeUndefined();
    expect(find('[]', ['a'])).toBeUndefined();
    expect(find('12', [0])).toBeUndefined();
    expect(find('"a"', ['a'])).toBeUndefined();
  });

  it('finds the whole value without the space around it', () => {
    expect(textAt(' [1, 2] ', [])).toBe('[1, 2]');
  });

  it('finds members whose names are written with escapes', () => {
    expect(textAt('{"\\\\":1,"a\\u0062":2,"\\"":3}', ['\\'])).toBe('1');
    expect(textAt('{"\\\\":1,"a\\u0062":2,"\\"":3}', ['ab'])).toBe('2');
    expect(textAt('{"\\\\":1,"a\\u0062":2,"\\"":3}', ['"'])).toBe('3');
  });

  it.each([
    ['{"a":"x', 5, 'the string does not end'],
    ['{"a":"x\\"', 5, 'the string does not end'],
    ['{"a":[1', 7, 'the text ends inside an array or object'],
  ])('refuses %s, which nobody has validated, instead of reading past its end', (text, offset, problem) => {
    expect(() => textAt(text, ['a'])).toThrowError(
      expect.objectContaining({ offset, message: `Invalid JSON at offset ${offset}: ${problem}` }),
    );
  });
});

describe('taking apart and printing', () => {
  it('keeps every leaf in its spelling and every member in its order', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const printed = printTree(parseTree(text));
        expect(JSON.parse(printed)).toEqual(JSON.parse(text));
        expect(printTree(parseTree(printed))).toBe(printed);
      }),
    );
    expect(printTree(parseTree('{"b":1.0,"a":"\\u00e9","b":1e2}'))).toBe('{"b":1.0,"a":"\\u00e9","b":1e2}');
  });
});

describe('splicing', () => {
  it('removes any choice of members and leaves valid JSON with the others untouched', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), jsonText), { maxLength: 6 }),
        fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
        space,
        (members, drop, gap) => {
          const text = `{${members.map(([k, v]) => `${gap}${JSON.stringify(k)}:${gap}${v}`).join(',')}${gap}}`;
          const cut = splice(
            text,
            removeItems(findMembers(text), (index) => drop[index]!),
          );
          expect(findMembers(cut).map((m) => cut.slice(m.start, m.end))).toEqual(
            members.filter((_, i) => !drop[i]).map(([, v]) => v),
          );
          expect(isJson(cut)).toBe(true);
        },
      ),
    );
  });

  it('adds members and elements to empty and full containers', () => {
    expect(splice('{}', [addMember('{}', 0, 'a', '1')])).toBe('{"a":1}');
    expect(splice('{"b":2 }', [addMember('{"b":2 }', 0, 'a', '1')])).toBe('{"b":2,"a":1 }');
    expect(splice('[ ]', [prependElements('[ ]', 0, ['1', '2'])])).toBe('[1,2 ]');
    expect(splice('[3]', [prependElements('[3]', 0, ['1'])])).toBe('[1,3]');
    expect(
      splice(
        '{"a":1,"b":2}',
        removeMembers('{"a":1,"b":2}', 0, (name) => name === 'a'),
      ),
    ).toBe('{"b":2}');
  });

  it('refuses edits that overlap', () => {
    expect(() =>
      splice('abcdef', [
        { start: 0, end: 3, text: '' },
        { start: 2, end: 4, text: '' },
      ]),
    ).toThrow(/overlap/);
  });
});

describe('canonical form', () => {
  it('agrees exactly when the values agree', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.json({ maxDepth: 4 }), (a, b) => {
        const same = canonical(a) === canonical(b);
        const equal = JSON.stringify(sorted(JSON.parse(a))) === JSON.stringify(sorted(JSON.parse(b)));
        expect(same).toBe(equal);
      }),
    );
  });

  it('knows spellings of one number from different numbers', () => {
    expect(canonical('1.0')).toBe(canonical('1'));
    expect(canonical('1e2')).toBe(canonical('100'));
    expect(canonical('-0.0')).toBe(canonical('0'));
    expect(canonical('0.10E+1')).toBe(canonical('1'));
    expect(canonical('2512292042121000001')).not.toBe(canonical('2512292042121000000'));
    expect(canonical('{"b":1,"a":"\\u0061"}')).toBe(canonical('{ "a":"a", "b":1.0 }'));
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [`${key}`, sorted((value as Record<string, unknown>)[key])]),
  );
}

describe('malformed text', () => {
  it('is refused exactly where the native parser refuses it, with an offset inside the text', () => {
    fc.assert(
      fc.property(
        jsonText,
        fc.nat(),
        fc.constantFrom('', '"', '}', ']', ',', '\\', '\u0001', 'x', '{', '0'),
        (text, at, insert) => {
          const offset = at % (text.length + 1);
          const broken = text.slice(0, offset) + insert + text.slice(offset + 1);
          let valid = true;
          try {
            JSON.parse(broken);
          } catch {
            valid = false;
          }
          expect(findJsonError(broken) === undefined).toBe(valid);
          if (valid) return;
          try {
            parseJson(broken);
            expect.unreachable();
          } catch (error) {
            expect(error).toBeInstanceOf(JsonTextError);
            const found = (error as JsonTextError).offset;
            expect(found).toBeGreaterThanOrEqual(0);
            expect(found).toBeLessThanOrEqual(broken.length);
            expect((error as JsonTextError).message).not.toContain('not JSON');
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['{"a":1,}', 7, `'"' expected`],
    ['{"a" 1}', 5, "':' expected"],
    ['[1 2]', 3, "',' expected"],
    ['{"a":tru}', 5, 'a value expected'],
    ['"abc', 4, 'the string does not end'],
    ['"a\\x"', 2, 'not allowed in a string'],
    ['"a\u0001"', 2, 'not allowed in a string'],
    ['[1]x', 3, 'text follows the value'],
    ['', 0, 'a value expected'],
    ['01', 1, 'text follows the value'],
    [`${'['.repeat(MAX_DEPTH)}x`, MAX_DEPTH, 'a value expected'],
    ['['.repeat(MAX_DEPTH + 1), MAX_DEPTH, `nested deeper than ${MAX_DEPTH} levels`],
  ])('%j is wrong at offset %i: %s', (text, offset, problem) => {
    try {
      parseJson(text);
      expect.unreachable();
    } catch (error) {
      expect(isSkeinError(error, 'invalid_json')).toBe(true);
      expect(error).toMatchObject({
        name: 'JsonTextError',
        offset,
        message: `Invalid JSON at offset ${offset}: ${problem}`,
      });
    }
  });

  it('longer than the bound is an error, before anything is parsed', () => {
    expect(() => parseJson(' '.repeat(MAX_LENGTH + 1))).toThrowError(
      expect.objectContaining({
        offset: MAX_LENGTH,
        message: expect.stringContaining('longer than 268435456 characters'),
      }),
    );
  });

  it('nested 10,000 deep is an error, not a stack overflow', () => {
    for (const text of [
      '['.repeat(10_000) + ']'.repeat(10_000),
      `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      '['.repeat(10_000),
    ]) {
      expect(() => parseJson(text)).toThrow(JsonTextError);
      expect(() => find(text, [0])).not.toThrow(RangeError);
    }
    const deepest = '['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH);
    expect(() => parseJson(deepest)).not.toThrow();
    expect(canonical(deepest)).toBe(deepest);
    expect(printTree(parseTree(deepest))).toBe(deepest);
  });
});

describe('halves of characters', () => {
  it('are found when escaped and alone, and only then', () => {
    const whole = (text: string) => splice(text, findLoneSurrogates(text));
    expect(whole('"\\ud83d\\ude00"')).toBe('"\\ud83d\\ude00"');
    expect(whole('"\\ud83d"')).toBe('"\\ufffd"');
    expect(whole('"\\ude00\\ud83d\\ude00\\uD83D"')).toBe('"\\ufffd\\ud83d\\ude00\\ufffd"');
    expect(whole('"\\\\ud83d"')).toBe('"\\\\ud83d"');
    expect(whole('"\\ud83d \\ude00"')).toBe('"\\ufffd \\ufffd"');
  });
});
