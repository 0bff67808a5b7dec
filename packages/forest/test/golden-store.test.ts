/** A store that an older release wrote opens without a step by its user, and loses nothing when all is placed again. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createForest,
  type Forest,
  fileStore,
  listExchanges,
  recordFetch,
  reproject,
  type Thread,
} from '@skein/forest';
import { expect, onTestFinished, test } from 'vitest';

const GOLDEN = fileURLToPath(new URL('./fixtures/golden-0.1/', import.meta.url));

interface Shown {
  readonly threads: readonly (Thread & { readonly texts: readonly string[] })[];
  readonly exchanges: readonly { readonly id: string; readonly thread?: string; readonly node?: string }[];
  readonly made: Readonly<Record<'kites' | 'greetings' | 'tides' | 'sea' | 'cats' | 'page' | 'river', string>>;
}

const shown: Shown = JSON.parse(readFileSync(join(GOLDEN, 'shown.json'), 'utf8'));

async function openCopy(): Promise<Forest> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-golden-'));
  cpSync(join(GOLDEN, 'store'), folder, { recursive: true });
  const forest = createForest(await fileStore(folder));
  onTestFinished(async () => {
    await forest.close();
    rmSync(folder, { recursive: true });
  });
  return forest;
}

async function textsOf(forest: Forest, id: string): Promise<string[]> {
  return (await forest.path((await forest.threads.get(id)).head)).map(({ message }) => message.text);
}

async function everyText(forest: Forest): Promise<string[]> {
  const { items } = await forest.threads.list({ limit: 1000 });
  return (await Promise.all(items.map(({ id }) => textsOf(forest, id)))).flat();
}

const greet = async () =>
  new Response(
    '{"id":"chatcmpl-new","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"New."}}]}',
  );

const recordOne = async (forest: Forest) => {
  const fetch = recordFetch(forest, { fetch: greet });
  const body = '{"model":"m","messages":[{"role":"user","content":"Something new"}]}';
  await (await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST', body })).text();
  await fetch.settled();
};

test('shows every conversation as it was, before anything is placed again', async () => {
  const forest = await openCopy();
  const { items } = await forest.threads.list({ limit: 1000 });
  expect(items.map(({ id }) => id)).toEqual(shown.threads.map(({ id }) => id));
  for (const { id, title, texts, tags } of shown.threads) {
    expect(await forest.threads.get(id)).toMatchObject({ title, tags });
    expect(await textsOf(forest, id)).toEqual(texts);
  }
  expect((await forest.threads.groups()).items.length).toBeGreaterThan(0);
});

test.each([
  ['reproject', async (forest: Forest) => void (await reproject(forest))],
  ['the first recording', recordOne],
])('places all again with %s: threads keep what people said of them, and nothing is lost', async (_, place) => {
  const forest = await openCopy();
  const before = new Set(shown.threads.flatMap(({ texts }) => texts));
  await place(forest);
  const { made } = shown;

  // Everyone who said "Hi" has a conversation of their own, and the first keeps the thread.
  const { items: exchanges } = await listExchanges(forest, { limit: 1000 });
  const threadOf = (id: string) => exchanges.find((one) => one.id === id)!.landing?.thread;
  const opened = shown.exchanges.slice(0, 10).map(({ id }) => threadOf(id));
  expect(new Set(opened).size).toBe(10);
  expect(opened[0]).toBe(made.greetings);
  expect(new Set(shown.exchanges.slice(10, 20).map(({ id }) => threadOf(id)))).toEqual(new Set(opened));
  for (const id of opened) expect(await textsOf(forest, id!)).toHaveLength(4);

  // The nurse no longer answers below the shop's system text.
  expect(await textsOf(forest, made.kites)).toEqual([
    'You are the assistant of a kite shop.',
    'Hello there',
    'Good day! Kites or lines?',
    'A red kite.',
    'We have three red ones.',
  ]);

  // What people said stays with the thread whose first exchange it was.
  expect(await forest.threads.get(made.kites)).toMatchObject({
    title: 'Kites for the shop',
    tags: ['shop'],
    note: 'Ask for the price of the lines.',
  });
  expect(await forest.threads.get(made.greetings)).toMatchObject({ title: 'Greetings' });
  expect(await forest.threads.get(made.tides)).toMatchObject({ rating: 5 });
  const [bookmark] = (await forest.bookmarks.list()).items;
  expect(bookmark).toMatchObject({ title: 'The tides', node: (await forest.threads.get(made.tides)).head });
  expect((await forest.node((await forest.threads.get(made.sea)).head)).marks).toMatchObject({
    tags: ['deep'],
    note: 'Which lake?',
  });
  expect(await forest.threads.get(made.cats)).toMatchObject({ deleted: true });
  expect(await textsOf(forest, made.page)).toEqual(['Hi', 'Hello from the page.', 'Hi again']);

  // Every thread, every text and every id of a reply still leads somewhere.
  for (const { id } of shown.threads) expect(await forest.threads.get(id)).toMatchObject({ deleted: false });
  for (const { node } of shown.exchanges)
    if (node !== undefined) expect((await forest.node(await forest.resolve(node))).removed).toBe(false);
  const after = new Set(await everyText(forest));
  expect([...before].filter((text) => !after.has(text))).toEqual([]);
  expect(await forest.fsck()).toEqual([]);
});

test('what a person wrote on the page below a recorded conversation is a fork of it', async () => {
  const forest = await openCopy();
  await reproject(forest);
  await reproject(forest);
  const { river } = shown.made;
  expect(await textsOf(forest, river)).not.toContain('Which is deepest?');
  const forks = (await forest.threads.list({ limit: 1000 })).items.filter(({ forkedFrom }) => forkedFrom === river);
  expect(forks).toHaveLength(1);
  expect(forks[0]).toMatchObject({ recorded: false, title: 'Name three boats.' });
  expect(await textsOf(forest, forks[0]!.id)).toEqual(shown.threads.find(({ id }) => id === river)!.texts);
});
