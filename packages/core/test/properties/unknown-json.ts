import fc from 'fast-check';

/**
 * JSON texts that no reader knows, in spellings that parsing and printing again would change. Without half characters:
 * those are replaced when they are sent, and reported.
 */
const word = fc.string({
  unit: fc.constantFrom('a', 'Z', '7', ' ', 'ü', '👋', '\\n', '\\"', '\\/', '\\u00e9', '\\\\'),
  maxLength: 6,
});

const scalar = fc.oneof(
  fc.constantFrom(
    '1.0',
    '0.10',
    '1e5',
    '-0',
    '2512292042121000001',
    '9007199254740993',
    '-1.5E-7',
    'true',
    'false',
    'null',
  ),
  word.map((text) => `"${text}"`),
);

function values(name: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 3, selector: ([first]) => first })
        .map((members) => `{${members.map(([first, member]) => `"${first}":${member}`).join(',')}}`),
    ),
  })).value;
}

export const unknownValue: fc.Arbitrary<string> = values(word);

/** The same with names that have one spelling only. */
export const plainlyNamed: fc.Arbitrary<string> = values(fc.constantFrom('a', 'b c', 'ü', '👋', ''));

/** Names that no protocol has; some of them are traps for objects used as maps. */
export const unknownName: fc.Arbitrary<string> = fc.constantFrom(
  'x_new',
  'x new',
  'x\\u0041',
  'ü',
  '__proto__',
  'constructor',
  'toString',
);

/** A block, item or part of a kind that no protocol has. */
export const unknownElement: fc.Arbitrary<string> = fc
  .tuple(unknownValue, unknownValue)
  .map(([first, second]) => `{"type":"x_hologram","x_beam":${first}, "x_focus" : ${second}}`);

/** A place as a fraction of all there are. Not `fc.double`: nearly all of its numbers between 0 and 1 are next to 0. */
export const anywhere: fc.Arbitrary<number> = fc
  .integer({ min: 0, max: 1_000_000 })
  .map((number) => number / 1_000_000);
