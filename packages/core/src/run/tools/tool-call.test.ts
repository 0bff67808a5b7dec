import { expect, it } from 'vitest';
import { type ToolOutput, toContent } from './tool.ts';

const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } } as const;
const text = { type: 'text', text: 'a' } as const;

it.each<[string, ToolOutput, unknown]>([
  ['text', 'four degrees', 'four degrees'],
  ['an object', { celsius: 4 }, '{"celsius":4}'],
  ['a number', 4, '4'],
  ['nothing', undefined, 'null'],
  ['a list', [1, 'a'], '[1,"a"]'],
  ['an empty list', [], '[]'],
  ['an exact integer', { id: 2512292042121000001n, all: [-3n] }, '{"id":2512292042121000001,"all":[-3]}'],
  ['an image', image, [image]],
  ['blocks', [text, image], [text, image]],
  ['what only looks like blocks', [text, { type: 'unknown' }], '[{"type":"text","text":"a"},{"type":"unknown"}]'],
])('%s', (_, output, content) => {
  expect(toContent(output)).toEqual(content);
});
