import { expect, test } from 'vitest';
import { createEventReader } from './sse.ts';

const stream = ': skein\n\nevent: progress\ndata: {"read":1}\n\nevent: done\ndata: {"a":1,\ndata: "b":2}\n\n';
const events = [
  { event: 'progress', data: '{"read":1}' },
  { event: 'done', data: '{"a":1,\n"b":2}' },
];

test('events are the same wherever the pieces are cut', () => {
  for (let at = 0; at <= stream.length; at++) {
    const read = createEventReader();
    expect([...read(stream.slice(0, at)), ...read(stream.slice(at))]).toEqual(events);
  }
});

test('comments are no events, and half an event is none yet', () => {
  const read = createEventReader();
  expect(read(': still here\n\n')).toEqual([]);
  expect(read('data: half')).toEqual([]);
  expect(read('\n\n')).toEqual([{ event: 'message', data: 'half' }]);
});
