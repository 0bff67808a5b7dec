import { expect, test } from 'vitest';
import { splitMarkdown } from './rendered-markdown.tsx';

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
