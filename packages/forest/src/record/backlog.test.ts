import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createForest } from '../forest/index.ts';
import { fileStore } from '../store/file/file-store.ts';
import { createTestDisk } from '../store/file/test-disk.ts';
import { memoryStore, type Store, StoreError } from '../store/index.ts';
import { type BacklogOptions, createBacklog } from './backlog.ts';
import { readExchangeRecord, readResponse } from './exchange.ts';
import { listExchanges } from './list-exchanges.ts';
import { createRecorder } from './recorder.ts';
import type { RecordingError } from './waiting-records.ts';

const FAKED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...FAKED] }));
afterEach(() => void vi.useRealTimers());

const GONE = new StoreError('store_unreachable', 'The database cannot be reached.');
const HEADERS = [['content-type', 'application/json']] as const;
const SECRET = 'sk-secret-0123456789';

/** A store that can be away: then its operations fail, or never answer. */
function fragile(store: Store) {
  const state: { trouble: 'none' | 'fails' | 'hangs'; error: unknown } = { trouble: 'none', error: GONE };
  const guard =
    <Given extends unknown[], Result>(operation: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      state.trouble === 'none'
        ? operation(...given)
        : state.trouble === 'fails'
          ? Promise.reject(state.error)
          : new Promise(() => undefined);
  const guarded: Store = {
    ...store,
    append: guard(store.append),
    entry: guard(store.entry),
    entries: guard(store.entries),
    changes: guard(store.changes),
    refs: guard(store.refs),
  };
  return { state, store: guarded };
}

/** A process that records into a store, with what it reported. */
function openProcess(store: Store, options: BacklogOptions = {}) {
  const forest = createForest(store);
  const errors: RecordingError[] = [];
  const changes: number[] = [];
  const onError = (error: unknown) => void errors.push(error as RecordingError);
  const backlog = createBacklog(forest, {
    ...options,
    onError,
    onChange: ({ exchanges }) => void changes.push(exchanges.length),
  });
  const recorder = createRecorder(forest, { backlog, onError });
  const record = (text: string) => {
    const body = JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: text }] });
    const recording = recorder.begin({
      method: 'POST',
      url: 'https://api.openai.com/v1/chat/completions',
      headers: [...HEADERS, ['authorization', `Bearer ${SECRET}`]],
      body,
    });
    recording.head(200, HEADERS);
    const message = { role: 'assistant', content: `Answer to ${text}. ${SECRET}` };
    recording.push(Buffer.from(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })));
    recording.end('done');
    return recording.id;
  };
  return { forest, backlog, recorder, errors, changes, record };
}

/** The ids of the exchanges that are stored whole. */
async function storedWhole(store: Store): Promise<string[]> {
  const { items } = await listExchanges(createForest(store), { limit: 1000 });
  const whole = [];
  for (const { id, outcome, landing } of items)
    if (outcome === 'done' && landing && (await readResponse(store, id)).length > 0) whole.push(id);
  return whole.sort();
}

const HOUR = 3_600_000;

/** Lets what waits for the disk go on: its calls take no simulated time. */
const settle = async (isDone: () => boolean) => {
  for (let tries = 0; tries < 200 && !isDone(); tries++) await vi.advanceTimersByTimeAsync(1000);
  expect(isDone()).toBe(true);
};

/** Some milliseconds, in which work goes on that takes none. */
const passSlowly = async () => {
  await vi.advanceTimersByTimeAsync(10);
  await new Promise((done) => setImmediate(done));
};

test('an outage of hours loses nothing: what passed meanwhile is stored and placed when the store is back', async () => {
  const { state, store } = fragile(memoryStore());
  const one = openProcess(store);
  const ids = [one.record('before')];
  await vi.advanceTimersByTimeAsync(1000);
  state.trouble = 'fails';
  for (let count = 0; count < 20; count++) {
    ids.push(one.record(`during ${count}`));
    await vi.advanceTimersByTimeAsync(HOUR / 10);
  }
  expect(one.backlog.state()).toMatchObject({ exchanges: ids.slice(1), reason: GONE.message });
  expect(one.backlog.state().bytes).toBeGreaterThan(1000);
  state.trouble = 'none';
  await settle(() => one.changes.length === 2);
  expect(await one.backlog.settle()).toBe(true);
  expect(await storedWhole(store)).toEqual(ids.sort());
  expect(one.backlog.state()).toMatchObject({ exchanges: [], bytes: 0, isUnplaced: false });
  expect(one.errors).toEqual([]);
  expect(one.changes).toEqual([1, 0]);
});

test('what waits in the next outage is stored at its end, though what waited in the last one is still being placed', async () => {
  const inner = memoryStore();
  let isSlow = false;
  let goOn = () => {};
  const changes: Store['changes'] = async (after) => {
    if (isSlow)
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    return inner.changes(after);
  };
  const { state, store } = fragile({ ...inner, changes });
  const one = openProcess(store);
  const isStored = async (id: string) => (await inner.entry('exchange', id))?.data.outcome === 'done';
  for (const text of ['first', 'second', 'third']) {
    state.trouble = 'fails';
    const told = one.changes.length;
    const id = one.record(text);
    await settle(() => one.changes.length === told + 1);
    isSlow = true;
    state.trouble = 'none';
    await settle(() => one.changes.length === told + 2);
    expect(await isStored(id)).toBe(true);
  }
  expect(one.changes).toEqual([1, 0, 1, 0, 1, 0]);
  isSlow = false;
  goOn();
  expect(await one.backlog.settle()).toBe(true);
  expect(await storedWhole(inner)).toHaveLength(3);
});

test('what is being stored when the placing of what waited before it ends has its place afterwards', async () => {
  const inner = memoryStore();
  const gates = new Map<'changes' | 'append', () => void>();
  const closed = new Set<'changes' | 'append'>();
  const pass = async (name: 'changes' | 'append') => {
    if (closed.delete(name)) await new Promise<void>((resolve) => gates.set(name, resolve));
  };
  const { state, store } = fragile({
    ...inner,
    changes: (after) => pass('changes').then(() => inner.changes(after)),
    append: (records) => pass('append').then(() => inner.append(records)),
  });
  const one = openProcess(store);
  for (const [text, name] of [
    ['first', 'changes'],
    ['second', 'append'],
  ] as const) {
    state.trouble = 'fails';
    one.record(text);
    await settle(() => one.backlog.state().exchanges.length === 1);
    closed.add(name);
    state.trouble = 'none';
    await settle(() => gates.has(name));
  }
  gates.get('changes')!();
  await passSlowly();
  gates.get('append')!();
  await settle(() => one.backlog.state().exchanges.length === 0);
  expect(await one.backlog.settle()).toBe(true);
  expect(await storedWhole(inner)).toHaveLength(2);
});

test.each([
  ['its own', false],
  ['a given', true],
])(
  'whoever asks whether exchanges are stored does not wait until they are placed, with %s backlog',
  async (_, isGiven) => {
    const inner = memoryStore();
    let goOn = () => {};
    const slow = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const forest = createForest({ ...inner, changes: (after) => slow.then(() => inner.changes(after)) });
    const recorder = createRecorder(forest, isGiven ? { backlog: createBacklog(forest) } : {});
    const record = async () => {
      const { id, end } = recorder.begin({ method: 'GET', url: 'https://api.openai.com/v1/models', headers: [] });
      end('done');
      let isStored = false;
      void recorder.stored().then(() => {
        isStored = true;
      });
      await settle(() => isStored);
      expect((await inner.entry('exchange', id))?.data.outcome).toBe('done');
    };
    await record();
    // The first one is being placed.
    await record();
    goOn();
    await recorder.settled();
  },
);

test('a store that does not answer is an outage, too: the writer of a gateway waits for some seconds and not for ever', async () => {
  const { state, store } = fragile(memoryStore());
  const one = openProcess(store);
  state.trouble = 'hangs';
  const recording = one.recorder.begin({
    method: 'POST',
    url: 'https://api.openai.com/v1/chat/completions',
    headers: [],
  });
  recording.head(200, HEADERS);
  recording.push('{}');
  let isKept = false;
  void recording.keepReply(['key'], []).then(() => {
    isKept = true;
  });
  await vi.advanceTimersByTimeAsync(4000);
  expect(isKept).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);
  expect(isKept).toBe(true);
  expect(one.backlog.state().exchanges).toEqual([recording.id]);
});

test('beyond the bound in bytes, exactly what had no room is reported', async () => {
  const { state, store } = fragile(memoryStore());
  state.trouble = 'fails';
  const one = openProcess(store, { memory: 6000 });
  const ids: string[] = [];
  for (let count = 0; count < 6; count++) {
    ids.push(one.record(`${count}`));
    await vi.advanceTimersByTimeAsync(1000);
  }
  const lost = one.errors.flatMap(({ exchanges }) => exchanges);
  expect(lost.length).toBeGreaterThan(0);
  expect(one.errors.every(({ code }) => code === 'recording_lost')).toBe(true);
  expect(one.backlog.state().bytes).toBeLessThanOrEqual(6000);
  state.trouble = 'none';
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await storedWhole(store)).toEqual(ids.filter((id) => !lost.includes(id)).sort());
});

test('a recorder with a backlog of its own names what still waits when its owner asks whether all is stored', async () => {
  const { state, store } = fragile(memoryStore());
  state.trouble = 'fails';
  const errors: unknown[] = [];
  const recorder = createRecorder(createForest(store), { onError: (error) => void errors.push(error) });
  const recording = recorder.begin({ method: 'POST', url: 'https://api.openai.com/v1/chat/completions', headers: [] });
  recording.end('done');
  await recorder.settled();
  expect(errors).toMatchObject([{ code: 'recording_waits', exchanges: [recording.id] }]);
  state.trouble = 'none';
  await recorder.settled();
  expect(errors).toHaveLength(1);
  expect((await listExchanges(createForest(store))).items).toHaveLength(1);
});

test('a recorder with a backlog of its own tells that what is stored could not be placed, and places it later', async () => {
  const inner = memoryStore();
  let isFull = true;
  const append: Store['append'] = (records) =>
    isFull && records.some(({ k }) => k === 'node')
      ? Promise.reject(new StoreError('store_full', 'The disk is full.'))
      : inner.append(records);
  const forest = createForest({ ...inner, append });
  const errors: unknown[] = [];
  const recorder = createRecorder(forest, { onError: (error) => void errors.push(error) });
  const body = JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: 'Hi' }] });
  const url = 'https://api.openai.com/v1/chat/completions';
  const recording = recorder.begin({ method: 'POST', url, headers: HEADERS, body });
  recording.head(200, HEADERS);
  recording.push('{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}');
  recording.end('done');
  await recorder.settled();
  expect(errors).toMatchObject([{ code: 'recording_waits', exchanges: [], message: expect.stringContaining('full') }]);
  isFull = false;
  await recorder.settled();
  const { items } = await forest.threads.list();
  expect(items).toHaveLength(1);
});

test('a disk that fails to read while what waited is stored takes no recording for refused', async () => {
  const inner = memoryStore();
  let failing = 0;
  const append: Store['append'] = (records) => {
    if (failing === 0) return inner.append(records);
    failing -= 1;
    const cause = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
    return Promise.reject(new StoreError('store_failed', 'The disk reports an error.', cause));
  };
  const one = openProcess({ ...inner, append });
  failing = 4;
  const ids = [one.record('first'), one.record('second')];
  await vi.advanceTimersByTimeAsync(60_000);
  expect(failing).toBe(0);
  expect(one.errors).toEqual([]);
  expect(await storedWhole(inner)).toEqual(ids.sort());
});

test('exchanges that a sync brings have their place soon, though this process never records anything', async () => {
  const { inner, start } = openOutage();
  const one = start();
  const there = openProcess(memoryStore());
  const id = there.record('elsewhere');
  await there.recorder.stored();
  const { items } = await there.forest.store.entries('exchange');
  await vi.advanceTimersByTimeAsync(5000);
  await inner.append(items);
  expect(await storedWhole(inner)).toEqual([]);
  await vi.advanceTimersByTimeAsync(30_000);
  await vi.waitFor(async () => expect(await storedWhole(inner)).toEqual([id]), { timeout: 30_000 });
  await one.backlog.close();
});

test('what one record refuses for ever does not hold up the others, and is reported', async () => {
  const inner = memoryStore();
  let refused = '';
  const append: Store['append'] = (records) =>
    records.some((record) => record.k === 'exchange' && record.of === refused)
      ? Promise.reject(new StoreError('store_failed', 'There is a letter that it cannot store.'))
      : inner.append(records);
  const one = openProcess({ ...inner, append });
  const recording = one.recorder.begin({
    method: 'POST',
    url: 'https://api.openai.com/v1/chat/completions',
    headers: [],
    body: '{}',
  });
  refused = recording.id;
  recording.end('done');
  await vi.advanceTimersByTimeAsync(1000);
  const other = one.record('other');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await storedWhole(inner)).toContain(other);
  expect(one.errors).toMatchObject([{ code: 'recording_lost', exchanges: [refused] }]);
  expect(one.backlog.state().exchanges).toEqual([]);
});

test('a file store whose disk is full for minutes stores everything when there is room', async () => {
  vi.useRealTimers();
  const disk = createTestDisk();
  const store = await fileStore('/forest', { files: disk.files() });
  const one = openProcess(store, { folder: '/waiting', files: disk.files() });
  const ids = [one.record('before')];
  await one.recorder.settled();
  disk.setSpace(0);
  ids.push(one.record('during'));
  await one.recorder.settled();
  expect(one.backlog.state()).toMatchObject({ exchanges: [ids[1]], folder: undefined });
  expect(one.backlog.state().bytes).toBeGreaterThan(0);
  disk.setSpace(Infinity);
  expect(await one.backlog.settle()).toBe(true);
  expect(await storedWhole(store)).toEqual(ids.sort());
  expect(one.errors).toEqual([]);
});

/** A database that is away, and a disk beside it. */
function openOutage() {
  const inner = memoryStore();
  const disk = createTestDisk();
  const alive = new Set<string>();
  let count = 0;
  const start = () => {
    count += 1;
    const writer = `p${count}`;
    alive.add(writer);
    const database = fragile({ ...inner, writer, isAlive: async (name) => alive.has(name) });
    const one = openProcess(database.store, { folder: '/waiting/work', files: disk.files() });
    return {
      ...one,
      database: database.state,
      end: () => alive.delete(writer),
      files: () => [...disk.contents().keys()].filter((path) => path.startsWith('/waiting')),
    };
  };
  return { inner, disk, start };
}

test('in an outage recordings wait in a file without keys, and the file is gone when they are stored', async () => {
  const { inner, disk, start } = openOutage();
  const one = start();
  one.database.trouble = 'fails';
  const ids = [one.record('first'), one.record('second')];
  await settle(() => one.backlog.state().exchanges.length === 2);
  expect(one.backlog.state()).toMatchObject({ bytes: 0, folder: '/waiting/work' });
  const text = one
    .files()
    .map((path) => disk.contents().get(path)!.toString())
    .join('');
  expect(text).toContain('Answer to second');
  expect(text).not.toContain(SECRET);
  one.database.trouble = 'none';
  await settle(() => one.files().length === 0);
  expect(await storedWhole(inner)).toEqual(ids.sort());
  expect(one.errors).toEqual([]);
});

test.each(['kill -9', 'shutdown'])('the next start stores what a %s in an outage left', async (how) => {
  const { inner, disk, start } = openOutage();
  const one = start();
  one.database.trouble = 'fails';
  const ids = [one.record('first'), one.record('second')];
  if (how === 'shutdown') {
    const closed = one.recorder.settled().then(() => one.backlog.close());
    await vi.advanceTimersByTimeAsync(60_000);
    await closed;
  } else {
    await settle(() => one.backlog.state().exchanges.length === 2);
    disk.kill();
  }
  one.end();
  const next = start();
  await settle(() => next.files().length === 0);
  expect(await storedWhole(inner)).toEqual(ids.sort());
  expect([...one.errors, ...next.errors]).toEqual([]);
});

test('a server that was told to end when its database was back left exchanges without a place: they have it before it ends', async () => {
  const { inner, start } = openOutage();
  const one = start();
  one.database.trouble = 'fails';
  const id = one.record('first');
  await settle(() => one.files().length === 1);
  one.database.trouble = 'none';
  let isClosed = false;
  const closed = one.backlog.close().then(() => {
    // The process ends: nothing that it still does is carried out.
    one.database.trouble = 'hangs';
    isClosed = true;
  });
  while (!isClosed) await passSlowly();
  await closed;
  one.end();
  expect(await storedWhole(inner)).toEqual([id]);
  expect(one.errors).toEqual([]);
});

test.each(['ended', 'is open'])(
  'what a dead process had stored and not placed, and %s, has its place when the next one starts',
  async (how) => {
    const { inner, start } = openOutage();
    const id = start().record('first');
    for (let times = 0; times < 100; times++) await passSlowly();
    expect(await storedWhole(inner)).toEqual([id]);
    const records = (await inner.entries('exchange')).items;
    const left = openOutage();
    await left.inner.append(
      records.map((record) =>
        record.id === id && how === 'is open'
          ? { ...record, data: { ...record.data, outcome: 'open', writer: 'dead' } }
          : record,
      ),
    );
    left.start();
    for (let times = 0; times < 100; times++) await passSlowly();
    const [found] = (await listExchanges(createForest(left.inner))).items;
    expect(found).toMatchObject({ id, outcome: 'done', landing: { state: 'landed' } });
  },
);

test('what a dead process had stored and not placed has its place when the database of the next one comes back', async () => {
  const { inner, start } = openOutage();
  const id = start().record('first');
  for (let times = 0; times < 100; times++) await passSlowly();
  const left = openOutage();
  await left.inner.append((await inner.entries('exchange')).items);
  const next = left.start();
  next.database.trouble = 'fails';
  await vi.advanceTimersByTimeAsync(HOUR);
  next.database.trouble = 'none';
  await vi.advanceTimersByTimeAsync(HOUR);
  for (let times = 0; times < 100; times++) await passSlowly();
  const [found] = (await listExchanges(createForest(left.inner))).items;
  expect(found).toMatchObject({ id, landing: { state: 'landed' } });
});

test('the file of a process that lives is left to it', async () => {
  const { inner, start } = openOutage();
  const one = start();
  one.database.trouble = 'fails';
  const id = one.record('first');
  await settle(() => one.files().length === 1);
  const other = start();
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(one.files().every((path) => path.startsWith('/waiting/work/p1.'))).toBe(true);
  expect(one.files().length).toBeGreaterThan(0);
  one.end();
  await settle(() => other.files().length === 0);
  expect(await storedWhole(inner)).toEqual([id]);
});

test('an exchange that the next process closed as cut is done when its end arrives from the file', async () => {
  const { inner, start } = openOutage();
  const one = start();
  const recording = one.recorder.begin({
    method: 'POST',
    url: 'https://api.openai.com/v1/chat/completions',
    headers: [],
  });
  await one.recorder.stored();
  await vi.advanceTimersByTimeAsync(1000);
  expect((await inner.entry('exchange', recording.id))?.data.outcome).toBe('open');
  one.database.trouble = 'fails';
  recording.head(200, HEADERS);
  recording.end('done');
  await settle(() => one.files().length === 1);
  one.end();
  await vi.advanceTimersByTimeAsync(1000);
  // A process without a folder takes what is in the database for all there is.
  const { forest } = openProcess({ ...inner, writer: 'other', isAlive: async () => false });
  await createRecorder(forest).settled();
  const { reproject } = await import('./projection/projector.ts');
  await reproject(forest);
  expect((await inner.entry('exchange', recording.id))?.data.outcome).toBe('cut');
  const next = start();
  await settle(() => next.files().length === 0);
  expect(readExchangeRecord((await inner.entry('exchange', recording.id))!)?.outcome).toBe('done');
});

test('where the file cannot be written either, memory keeps it, and a shutdown reports what is lost', async () => {
  const { disk, start } = openOutage();
  const one = start();
  one.database.trouble = 'fails';
  disk.setSpace(100);
  const id = one.record('first');
  await settle(() => one.backlog.state().exchanges.length === 1);
  expect(one.backlog.state().folder).toBeUndefined();
  const closed = one.backlog.close();
  await vi.advanceTimersByTimeAsync(60_000);
  await closed;
  expect(one.errors).toMatchObject([{ code: 'recording_lost', exchanges: [id] }]);
  expect(one.errors[0]!.message).toContain(GONE.message);
});
