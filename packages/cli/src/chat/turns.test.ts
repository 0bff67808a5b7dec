import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdownStream } from './turns.ts';

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
  [
    'a fence',
    '```js\n# no **heading**\n```\n**b**',
    '<dim>```js</>\n<code># no **heading**</code>\n<dim>```</>\n<b>b</>',
  ],
  ['what is left open', 'a **b\nc `d', 'a <b>b</>\nc <code>d</code>'],
  ['a hash without a heading', '#tag and #', '#tag and #'],
  ['a lone mark at the end', 'a *', 'a *'],
])('%s', (_what, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test('however a text is cut, it looks the same', () => {
  const mark = fc.constantFrom('#', '# ', '**', '*', '`', '```', '\n', '- ', '> ', '1. ', 'word', ' ', '  ');
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
