import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readPlaces } from './places.mjs';
import { applyReasons, covers, describeLine, describeMutant, parseReasons, readReasons } from './reasons.mjs';

const SOURCE = `const LIMIT = 3 + 4;
export function openStore() {
  const isFull = () => LIMIT > 3;
  const size = 1 + 2;
  return { append() { return size; }, close: () => 5 };
}
class Disk {
  #left = 6;
  constructor() { this.#left = 7; }
  #write(kind) { throw new DiskError('disk-full', kind ? 'There is no space.' : \`Full: \${8} bytes\`); }
}
`;

function find(text: string) {
  const lines = SOURCE.split('\n');
  const line = lines.findIndex((one) => one.includes(text));
  const column = lines[line]!.indexOf(text);
  return readPlaces('a.ts', SOURCE).find({ line, column }, { line, column: column + text.length });
}

test('a change is named after the functions around it', () => {
  expect(find('3 + 4').within).toEqual(['LIMIT']);
  expect(find('LIMIT > 3').within).toEqual(['openStore', 'openStore.isFull']);
  expect(find('1 + 2').within).toEqual(['openStore']);
  expect(find('return size').within).toEqual(['openStore', 'openStore.append']);
  expect(find('5').within).toEqual(['openStore', 'openStore.close']);
  expect(find('6').within).toEqual(['Disk.#left']);
  expect(find('7').within).toEqual(['Disk.constructor']);
  expect(find('8').within).toEqual(['Disk.#write']);
});

test('only what an error says in words is its wording, not its code', () => {
  expect(find("'There is no space.'").isErrorText).toBe(true);
  expect(find('`Full: $').isErrorText).toBe(true);
  expect(find("'disk-full'").isErrorText).toBe(false);
  expect(find("kind ? 'There is no space.' : ").isErrorText).toBe(false);
});

const mutant = { path: 'a.ts', kind: 'OptionalChaining', within: ['openStore', 'openStore.append'] };
const line = 'if (a?.b) return `c`;';
const mutants = [
  { ...mutant, source: describeLine(`  ${line}`), change: describe(line, 'a?.b', 'a.b'), left: true },
  {
    ...mutant,
    source: "return 'x';",
    kind: 'StringLiteral',
    change: describe("return 'x';", "'x'", '""'),
    left: false,
  },
];

function describe(text: string, before: string, after: string) {
  const column = text.indexOf(before);
  const place = { start: { line: 0, column }, end: { line: 0, column: column + before.length } };
  return describeMutant([text], place, after);
}

test.each([
  ["`a.ts`: `if (⟦a?.b ⇒ a.b⟧) return 'c';`", [true, false]],
  ['`b.ts`: `if (⟦a?.b ⇒ a.b⟧) return;`', [false, false]],
  ['`a.ts` `openStore`: all changes', [true, true]],
  ['`a.ts` `openStore.append`: all changes', [true, true]],
  ['`a.ts` `append`: all changes', [false, false]],
  ['`a.ts` `openStore`: all `OptionalChaining`', [true, false]],
  ['`a.ts`: all `OptionalChaining`', [true, false]],
  ['`a.ts`: all `StringLiteral`', [false, true]],
  ['`b.ts`: all `OptionalChaining`', [false, false]],
  ["`a.ts`: all of `if (a?.b) return 'c';`", [true, false]],
])('%s', (text, expected) => {
  const [reason] = parseReasons(`- ${text}`);
  expect(mutants.map((one) => covers(reason!, one))).toEqual(expected);
});

test.each([
  '`a.ts`: all changes',
  '`a.ts`: all',
  '`a.ts` `openStore`: `if (⟦a ⇒ b⟧) return;`',
  '`a.ts` `openStore`: all of `return;`',
  '`a.ts`: `a`, and others',
  'a.ts: all `OptionalChaining`',
  '`a.ts`: all `Optional`',
])('%s is refused: it names too much, or nothing', (text) => {
  expect(() => parseReasons(`- ${text}`)).toThrow(text);
});

test('the report says what a class covers, and which reasons cover nothing', () => {
  const [whole, kind, gone, other] = parseReasons(
    [
      '- `a.ts` `openStore`: all changes',
      '- `a.ts`: all `OptionalChaining`',
      '- `a.ts`: all `StringLiteral`',
      '- `b.ts`: all `Regex`',
    ].join('\n'),
  );
  const { explained, classes, stale } = applyReasons([whole!, kind!, gone!, other!], mutants, ({ left }) => left);
  expect([...explained]).toEqual([mutants[0]]);
  expect(classes).toEqual([
    { reason: whole, left: 1, of: 2 },
    { reason: kind, left: 1, of: 1 },
  ]);
  expect(stale).toEqual([gone]);
});

test('each reason that is written down can be read, and names a file and a function that exist', () => {
  const reasons = readReasons();
  expect(reasons.length).toBeGreaterThan(100);
  for (const { path, name, source } of reasons) {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    if (source !== undefined) expect(text.split('\n').map(describeLine), path).toContain(source);
    if (name !== undefined) expect(readPlaces(path, text).names, path).toContain(name);
  }
});
