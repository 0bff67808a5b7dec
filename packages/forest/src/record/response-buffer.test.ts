import { expect, test } from 'vitest';
import { utf8Bytes } from '../model/records.ts';
import { byteLength, createResponseBuffer } from './response-buffer.ts';

function collect(...pieces: readonly (Uint8Array | string)[]) {
  const buffer = createResponseBuffer();
  for (const piece of pieces) buffer.push(piece, byteLength(piece));
  return buffer;
}

test('texts are a part without being encoded and decoded, and count in bytes', () => {
  const buffer = collect('Good ', 'day — 😀');
  expect(buffer.size).toBe(Buffer.byteLength('Good day — 😀'));
  expect(buffer.take(false)).toEqual({ text: 'Good day — 😀' });
  expect(buffer.size).toBe(0);
  expect(buffer.take(true)).toBeUndefined();
});

test('a text with half of a surrogate pair is stored as its bytes would be', () => {
  expect(collect('a\ud83d').take(true)).toEqual({ text: Buffer.from('a\ud83d').toString() });
});

test('texts and bytes keep their order, and no character is split', () => {
  const bytes = Buffer.from('😀');
  const buffer = collect('a', bytes.subarray(0, 2));
  expect(buffer.take(false)).toEqual({ text: 'a' });
  expect(buffer.size).toBe(2);
  buffer.push(bytes.subarray(2), 2);
  buffer.push('z', 1);
  expect(buffer.take(true)).toEqual({ text: '😀z' });
});

test('bytes of a long text are not decoded before somebody asks for it', () => {
  const text = 'Good day — 😀'.repeat(300);
  const taken = collect(Buffer.from(text)).take(true)!;
  expect(utf8Bytes(taken)).toEqual(Buffer.from(text));
  expect(JSON.stringify(taken)).toBe(JSON.stringify({ text }));
});

test('a short text does not keep the bytes that it came in', () => {
  const taken = collect(Buffer.from('Good day — 😀')).take(true)!;
  expect(utf8Bytes(taken)).toBeUndefined();
  expect(taken).toEqual({ text: 'Good day — 😀' });
});
