import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { expect, test } from 'vitest';
import RenderedMarkdown, { COMPONENTS } from './rendered-markdown.tsx';

/** The text as it is drawn, without the line breaks between elements. */
function draw(text: string): string {
  return inOneLine(
    renderToStaticMarkup(createElement(RenderedMarkdown, { text })).replace(/^<div[^>]*>|<\/div>$/g, ''),
  );
}

/** The same text in one piece. */
function drawWhole(text: string): string {
  const whole = ReactMarkdown({
    children: text,
    remarkPlugins: [remarkGfm],
    components: COMPONENTS,
    urlTransform: (url) => url,
  });
  return inOneLine(renderToStaticMarkup(whole));
}

function inOneLine(markup: string): string {
  return markup.replace(/>\s+</g, '><').trim();
}

const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

test.each([
  ['a long list', many(20, (at) => `- point **${at}** with \`code\`\n`)],
  ['a long loose list', many(20, (at) => `- point ${at}\n\n`)],
  ['a list that becomes loose late', `${many(12, (at) => `* a ${at}\n`)}\n* b\n`],
  ['a numbered list from seven', many(20, (at) => `${at + 7}. step ${at}\n`)],
  [
    'items with lists, paragraphs and code',
    many(10, (at) => `- a ${at}\n  - b\n  - c\n\n  more\n\n  \`\`\`ts\n  let x;\n  \`\`\`\n`),
  ],
  ['tasks', many(10, (at) => `- [${at % 2 ? 'x' : ' '}] task ${at}\n`)],
  ['a list whose last item has an open fence', `${many(9, (at) => `- a ${at}\n\n`)}- b\n\n  \`\`\`\n  code\n`],
  ['a long table', `| a | b |\n|:--|--:|\n${many(20, (at) => `| ${at} | **x** \\| y |\n`)}`],
  ['a table without bars at its sides', `a | b\n--|--\n${many(20, (at) => `${at} | c\n`)}`],
  ['a table with short rows', `| a | b |\n|---|---|\n${many(9, () => '| 1 |\n')}`],
  ['code', '```ts title="a.ts"\nlet x = 1;\n\nlet y;\n\n```\n'],
  ['open code', '~~~python\nprint(1)\n'],
  ['indented code', '    let x;\n    let y;\n'],
])('%s is drawn in parts as it is drawn whole', (_, text) => {
  expect(draw(text)).toBe(drawWhole(text));
});

test('a block at every length of a stream is drawn as it is drawn whole', () => {
  const texts = [
    many(3, (at) => `${at + 1}. step\n   - part\n\n   words\n`),
    `| a | b |\n|---|---|\n${many(3, () => '| 1 | `x` |\n')}`,
    '```ts\nlet x;\n```\n',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.nat(80), (text, end) => {
      const part = text.slice(0, end);
      expect(draw(part)).toBe(drawWhole(part));
    }),
    { numRuns: 200 },
  );
});
