import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeSse } from './sse.ts';

type Told = readonly [event: string | undefined, data: string];

function read(chunks: readonly (string | Uint8Array)[]): Told[] {
  const told: Told[] = [];
  const decoder = decodeSse((event, data) => told.push([event, data]));
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return told;
}

/** Another reader's opinion. */
function judge(text: string): Told[] {
  const told: Told[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => told.push([event, data]) });
  parser.feed(`${text}\n\n`);
  return told;
}

const line = fc.constantFrom(
  ...['data: a', 'data:b', 'data:  c', 'data', 'data:', 'database: x', 'datax', ' data: y', 'data : z'],
  ...[
    'event: ping',
    'event:',
    'event',
    'events: x',
    'id: 1',
    'retry: 5',
    ': comment',
    ':',
    'ö: ü',
    'data: 你好 \u2028',
  ],
  ...['', '', ''],
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
  .map((lines) => lines.map(([text, end]) => text + end).join(''));

it('tells the same events as another reader, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (text, sizes) => {
      const bytes = new TextEncoder().encode(text);
      const chunks: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(read(chunks)).toEqual(judge(text));
      expect(read([text])).toEqual(judge(text));
    }),
  );
});

it('an event is handed out as soon as its blank line has come', () => {
  const told: string[] = [];
  const decoder = decodeSse((_, data) => told.push(data));
  decoder.push('data: 1\r\n\r');
  expect(told).toEqual([]);
  decoder.push('\ndata: 2\n\nda');
  expect(told).toEqual(['1', '2']);
});

it('a mark at the start of the bytes is no part of the first line', () => {
  expect(read([new Uint8Array([0xef, 0xbb, 0xbf]), 'data: 1\n\n'])).toEqual([[undefined, '1']]);
});
