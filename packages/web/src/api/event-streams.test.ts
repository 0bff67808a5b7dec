import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEventReader } from './event-streams.ts';
import type { GenerationEvent } from './types.ts';

/** A connection to the server of which the test says what comes. */
class Source extends EventTarget {
  static last: Source;
  isClosed = false;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    Source.last = this;
  }

  tell(event: Record<string, unknown>, lastEventId: string): void {
    this.dispatchEvent(new MessageEvent(String(event.type), { data: JSON.stringify(event), lastEventId }));
  }

  close(): void {
    this.isClosed = true;
  }
}

let status: string | undefined;
const got: string[] = [];
const keep = (event: GenerationEvent, id: string) => void got.push(`${id} ${event.type}`);

beforeEach(() => {
  got.length = 0;
  vi.stubGlobal('location', { origin: 'http://skein.test' });
  vi.stubGlobal('EventSource', Source);
  vi.stubGlobal('fetch', async () => {
    if (status === undefined) throw new TypeError('refused');
    return Response.json({ id: 'g', status });
  });
});
afterEach(() => vi.unstubAllGlobals());

async function follow(after?: string): Promise<() => void> {
  const { followGeneration } = await import('./event-streams.ts');
  return followGeneration('g', after, keep);
}

test('events are told as they come, from behind the one that was seen', async () => {
  await follow('0000000007');
  expect(Source.last.url).toBe('/api/v1/generations/g/events?after=0000000007');
  Source.last.tell({ type: 'text', branch: 0, text: 'A' }, '0000000008');
  expect(got).toEqual(['0000000008 text']);
});

test('an end is told when the state has it too, or nobody can say', async () => {
  for (status of ['aborted', undefined]) {
    await follow();
    Source.last.tell({ type: 'end', branch: 0, status: 'aborted' }, '2');
    await vi.waitFor(() => expect(Source.last.isClosed).toBe(true));
  }
  expect(got).toEqual(['2 end', '2 end']);
});

test('the end of before it was taken up again is none', async () => {
  status = 'running';
  await follow();
  Source.last.tell({ type: 'end', branch: 0, status: 'aborted' }, '2');
  await new Promise((resolve) => setImmediate(resolve));
  Source.last.tell({ type: 'text', branch: 0, text: 'B' }, '3');
  status = 'done';
  Source.last.tell({ type: 'end', branch: 0, status: 'done' }, '4');
  await vi.waitFor(() => expect(Source.last.isClosed).toBe(true));
  expect(got).toEqual(['3 text', '4 end']);
});

test('who stops following is told no end that was still looked at', async () => {
  status = 'done';
  const stop = await follow();
  Source.last.tell({ type: 'end', branch: 0, status: 'done' }, '2');
  stop();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(got).toEqual([]);
});

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
