import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClock } from '../model/clock.ts';
import { memoryStore } from '../store/index.ts';
import { RecentTexts } from './recent-texts.ts';
import { createRecordingWriter, type PendingWrite, type RecordingWriter } from './recorder.ts';
import { createRecording } from './recording.ts';
import { RequestHashes } from './request-hashes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A writer, and what it did in order. */
function newWriter() {
  const done: string[] = [];
  const writer = createRecordingWriter(async () => void done.push('placed'));
  const draft = (name: string, size = 0) => {
    let isOver = false;
    const made: PendingWrite = {
      size,
      async store() {
        done.push(name);
        return isOver;
      },
    };
    return {
      begin: () => writer.begin(made),
      more: (isMuch?: boolean) => writer.more(made, isMuch),
      end: () => {
        isOver = true;
        writer.end(made);
      },
      endWritten: () => {
        isOver = true;
        writer.endWritten(made);
      },
    };
  };
  return { writer, done, draft };
}

/** Something is still to be stored, and whoever waits for it hears when it is. */
async function expectToWait({ stored }: Pick<RecordingWriter, 'stored'>) {
  let isStored = false;
  void stored().then(() => {
    isStored = true;
  });
  await Promise.resolve();
  expect(isStored).toBe(false);
  await vi.runAllTimersAsync();
  expect(isStored).toBe(true);
}

test('a stream that never ends is stored within half a second, and not with each of its pieces', async () => {
  const { done, draft } = newWriter();
  const endless = draft('endless');
  endless.begin();
  for (let piece = 0; piece < 40; piece++) {
    endless.more();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(done.length).toBeGreaterThanOrEqual(3);
  expect(done.length).toBeLessThanOrEqual(5);
});

test('nothing is stored in the moment in which it passes, and nothing waits when all has ended', async () => {
  const { done, draft } = newWriter();
  const [a, b] = [draft('a'), draft('b')];
  for (const one of [a, b]) one.begin();
  a.end();
  b.end();
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual(['a', 'b', 'placed']);
});

test('a storm of ends has its place in one go, though another stream goes on', async () => {
  const { writer, done, draft } = newWriter();
  draft('endless').begin();
  for (let count = 0; count < 100; count++) {
    const short = draft('short');
    short.begin();
    short.end();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(done.filter((one) => one === 'placed')).toHaveLength(0);
  const settled = writer.settled();
  await vi.advanceTimersByTimeAsync(1);
  await settled;
  expect(done.filter((one) => one === 'short')).toHaveLength(100);
  expect(done.filter((one) => one === 'placed')).toHaveLength(1);
});

test('long answers have their place at once, though another stream goes on', async () => {
  const { done, draft } = newWriter();
  draft('endless').begin();
  const end = async (count: number) => {
    for (let at = 0; at < count; at++) {
      const long = draft('long', 900_000);
      long.begin();
      long.end();
    }
    await vi.advanceTimersByTimeAsync(501);
  };
  await end(2);
  expect(done.filter((one) => one === 'placed')).toHaveLength(0);
  await end(1);
  expect(done.filter((one) => one === 'placed')).toHaveLength(1);
});

test('long requests have their place at once, too: later, they would be read from the disk again', () => {
  const begun: PendingWrite[] = [];
  const writer = {
    ...createRecordingWriter(async () => undefined),
    begin: (one: PendingWrite) => void begun.push(one),
  };
  const [store, texts] = [memoryStore(), new RecentTexts()];
  const context = { store, texts, clock: createClock('w'), unsaved: { total: 0 }, report: () => undefined };
  const request = {
    method: 'POST',
    url: 'https://api.openai.com/v1/chat/completions',
    headers: [],
    body: 'x'.repeat(900),
  };
  createRecording({ ...context, writer, hints: undefined, hashes: new RequestHashes() }, request).push(
    new Uint8Array(100),
  );
  expect(begun[0]!.size).toBe(1000);
});

test('much of one answer does not wait for the others', async () => {
  const { done, draft } = newWriter();
  const long = draft('long');
  long.begin();
  long.more(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual(['long']);
});

test('an exchange that ends while others are being stored is stored once, and the next one is waited for', async () => {
  const { writer, done, draft } = newWriter();
  const [long, short] = [draft('long'), draft('short')];
  long.begin();
  short.begin();
  long.more(true);
  short.end();
  await vi.runAllTimersAsync();
  expect(done.filter((name) => name === 'short')).toHaveLength(1);
  done.length = 0;
  long.end();
  const stored = writer.stored();
  await vi.runAllTimersAsync();
  await stored;
  expect(done[0]).toBe('long');
  const before = draft('before');
  before.begin();
  before.end();
  await expectToWait(writer);
});

test('an exchange that was written when it ended has its place, and nothing of it is kept until then', async () => {
  const { writer, done, draft } = newWriter();
  const [first, second] = [draft('first'), draft('second')];
  for (const one of [first, second]) one.begin();
  first.endWritten();
  second.endWritten();
  const settled = writer.settled();
  await vi.advanceTimersByTimeAsync(1);
  await settled;
  expect(done).toEqual(['placed']);
});

test('an exchange that is written elsewhere while others are being stored is not counted a second time', async () => {
  const { writer, done, draft } = newWriter();
  const [first, second, third] = [draft('first'), draft('second'), draft('third')];
  for (const one of [first, second]) one.begin();
  const [, stored] = [first.end(), writer.stored()];
  second.endWritten();
  await vi.runAllTimersAsync();
  await stored;
  expect(done.filter((one) => one !== 'placed')).toEqual(['first']);
  third.begin();
  third.end();
  await expectToWait(writer);
});

test('an exchange whose reply is being kept has not ended for the writer before it is stored: it would be counted twice', async () => {
  const begun: PendingWrite[] = [];
  const writer = { ...newWriter().writer, begin: (one: PendingWrite) => void begun.push(one), more: () => undefined };
  const store = memoryStore();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const append: typeof store.append = (records) => gate.then(() => store.append(records));
  const context = { store: Object.create(store, { append: { value: append } }), clock: createClock('test') };
  const request = { method: 'POST', url: 'https://api.openai.com/v1/chat/completions', headers: [], body: '{}' };
  const rest = { unsaved: { total: 0 }, report: () => undefined, hints: undefined, hashes: new RequestHashes() };
  const recording = createRecording({ ...context, writer, texts: new RecentTexts(), ...rest }, request);
  const kept = recording.keepReply([], []);
  expect(await begun[0]!.store()).toBe(false);
  open();
  await kept;
  expect(await begun[0]!.store()).toBe(true);
});
