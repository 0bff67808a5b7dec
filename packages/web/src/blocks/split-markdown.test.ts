import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planBlock, splitMarkdown } from './split-markdown.ts';

test('blocks joined are the text again', () => {
  const text =
    '# Title\n\nOne *two*\nthree\n\n- a\n- b\n\n```js\nlet x;\n\nlet y;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n';
  const blocks = splitMarkdown(text);
  expect(blocks.join('')).toBe(text);
  expect(blocks).toHaveLength(5);
});

test('an open fence is one block, whatever stands in it', () => {
  expect(splitMarkdown('Text\n\n```py\nprint(1)\n\n# not a heading\n')).toHaveLength(2);
});

test('what has definitions stays whole, so that references find them', () => {
  expect(splitMarkdown('See [this][1].\n\nMore.\n\n[1]: https://example.org')).toHaveLength(1);
  expect(splitMarkdown('A note[^a].\n\n[^a]: Said below.')).toHaveLength(1);
});

const line = fc.constantFrom(
  ...[
    '',
    '',
    '',
    'words',
    '  words',
    '    code',
    '\tcode',
    '===',
    '---',
    '***',
    '# Title',
    '> said',
    '>',
    '<div>',
    '</div>',
  ],
  ...[
    '- a',
    '* b',
    '  - c',
    '-',
    '1. one',
    '2) two',
    '   more',
    '```',
    '```ts',
    '~~~',
    '| a | b |',
    '|---|---|',
    'a | b',
    '<!--',
    '-->',
  ],
);

test('text that grows is cut as if it had been whole from the beginning', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 24 }), fc.array(fc.nat(9), { minLength: 1 }), (lines, steps) => {
      const text = lines.join('\n');
      let blocks: readonly string[] = [];
      for (let end = 0, step = 0; end < text.length; step += 1) {
        end = Math.min(text.length, end + 1 + steps[step % steps.length]!);
        const grown = text.slice(0, end);
        blocks = splitMarkdown(grown, blocks);
        expect(blocks).toEqual(splitMarkdown(grown));
      }
    }),
    { numRuns: 500 },
  );
});

test('a text that another one replaces keeps nothing of it', () => {
  expect(splitMarkdown('# B\n\nx', splitMarkdown('# A\n\nx\n\ny\n\nz'))).toEqual(splitMarkdown('# B\n\nx'));
});

test('a long list and a long table are read in parts', () => {
  const list = planBlock('- a\n'.repeat(20));
  expect(list).toMatchObject({ type: 'list', parts: ['- a\n'.repeat(8), '- a\n'.repeat(8), '- a\n'.repeat(4)] });
  const head = '| a | b |\n|---|---|\n';
  const table = planBlock(`${head}${'| 1 | 2 |\n'.repeat(9)}`);
  expect(table).toMatchObject({ head, parts: [`${head}${'| 1 | 2 |\n'.repeat(8)}`.trimEnd(), `${head}| 1 | 2 |`] });
});
