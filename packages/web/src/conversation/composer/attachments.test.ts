import { expect, test } from 'vitest';
import { isLargePaste, pastedText, readFile, toBlocks } from './attachments.ts';

test('pictures go as media, files of text as text in a fence', async () => {
  const picture = await readFile(new File([new Uint8Array([0x89, 0x50, 0xff])], 'a.png', { type: 'image/png' }));
  const source = await readFile(new File(['let a = `x`;\n```\n'], 'a.ts', { type: '' }));
  expect(toBlocks('Look', [picture, source])).toEqual([
    { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'iVD/' } },
    { type: 'text', text: 'a.ts:\n\n````ts\nlet a = `x`;\n```\n````' },
    { type: 'text', text: 'Look' },
  ]);
});

test('bytes that are no text are sent as they are', async () => {
  const { content } = await readFile(new File([new Uint8Array([0xff, 0xfe, 0x00])], 'x.bin'));
  expect(content).toEqual({ kind: 'media', mediaType: 'application/octet-stream', data: '//4A' });
});

test('a large paste stands beside the message, word for word', () => {
  const text = 'line\n'.repeat(50);
  expect(isLargePaste(text)).toBe(true);
  expect(isLargePaste('a short one')).toBe(false);
  expect(toBlocks('', [pastedText(text)])).toEqual([{ type: 'text', text }]);
});
