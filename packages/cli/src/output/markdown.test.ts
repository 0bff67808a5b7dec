import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdownStream } from './markdown.ts';

const render = (pieces: readonly string[], isColorSupported = true) => {
  const stream = markdownStream({ isColorSupported });
  return pieces.map(stream.push).join('') + stream.end();
};
/** Styles as words, so that a failure can be read. */
const shown = (text: string) =>
  render([text])
    .replaceAll('\x1b[1m', '<b>')
    .replaceAll('\x1b[2m', '<dim>')
    .replaceAll('\x1b[22m', '</>')
    .replaceAll('\x1b[36m', '<code>')
    .replaceAll('\x1b[39m', '</code>');

test.each([
  ['a heading', '## Two\nText', '<b>Two</>\nText'],
  ['bold words', 'a **b c** d', 'a <b>b c</> d'],
  ['bold words in a heading', '# A **b**\n', '<b>A **b**</>\n'],
  ['code', 'say `a ** b` now', 'say <code>a ** b</code> now'],
  ['stars that are none', '2 ** 3 * 4', '2 ** 3 * 4'],
  ['a list', '- one\n  * two\n3. three', '• one\n  • two\n3. three'],
  ['a quotation', '> so **they** say', '<dim>│ so <b>they</><dim> say</>'],
  ['a fence', '```\n# no **heading**\n```\n**b**', '<dim>```</>\n<code># no **heading**</code>\n<dim>```</>\n<b>b</>'],
  ['what is left open', 'a **b\nc `d', 'a <b>b</>\nc <code>d</code>'],
  ['a hash without a heading', '#tag and #', '#tag and #'],
  ['a lone mark at the end', 'a *', 'a *'],
  [
    'a table, with wide characters and bars in cells',
    '| 名前 | n |\n|---|--:|\n| **東京** | 5 |\n| a\\|b | 10 |\nEnd',
    '<b>名前</><dim> │ </><b>  n</>\n<dim>─────┼────</>\n<b>東京</><dim> │ </>  5\na|b <dim> │ </> 10\nEnd',
  ],
  ['bars without a rule', '| a |\n| b |', '| a |\n| b |'],
])('%s', (_what, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test('code of a known language has colours for comments, strings, numbers and words', () => {
  expect(render(['```js\nconst a = "b // c"; // 5\n```'])).toContain(
    '\x1b[35mconst\x1b[39m a = \x1b[32m"b // c"\x1b[39m; \x1b[2m// 5\x1b[22m\n',
  );
  expect(render(['```py\nx = 1 # one\n'])).toContain('x = \x1b[33m1\x1b[39m \x1b[2m# one\x1b[22m\n');
  expect(render(['```sql\nSELECT 1\n'])).toContain('\x1b[35mSELECT\x1b[39m');
});

test('however a text is cut, it looks the same', () => {
  const mark = fc.constantFrom(
    '#',
    '# ',
    '**',
    '*',
    '`',
    '```',
    '\n',
    '- ',
    '> ',
    '1. ',
    'word',
    ' ',
    '  ',
    '|',
    '| a |\n',
    '|--|\n',
    '```js\n',
  );
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 20 }), (pieces) => {
      expect(render(pieces)).toBe(render([pieces.join('')]));
      expect(render([...pieces.join('')])).toBe(render([pieces.join('')]));
    }),
    { numRuns: 500 },
  );
});

test('without colours a text stays as it is', () => {
  expect(render(['# A\n**b**'], false)).toBe('# A\n**b**');
});
