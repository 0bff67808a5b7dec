import { memoryStore, recordFetch, type Store } from '@skein/forest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packBytes, unpackBytes } from '../src/model/records.ts';
import { start } from './kit.ts';
import { newForest } from './record-kit.ts';

const SECRET = 'sk-very-secret-0123456789';

/** A store, and everything that was ever written to it. */
function watchedStore(): { store: Store; written: () => string } {
  const store = memoryStore();
  const texts: string[] = [];
  const append: Store['append'] = async (records) => {
    texts.push(JSON.stringify(records));
    await store.append(records);
  };
  return { store: { ...store, append }, written: () => texts.join('\n') };
}

const WAYS: Readonly<Record<string, { headers?: Record<string, string>; query?: string }>> = {
  authorization: { headers: { authorization: `Bearer ${SECRET}` } },
  'x-api-key': { headers: { 'x-api-key': SECRET } },
  'x-goog-api-key': { headers: { 'x-goog-api-key': SECRET } },
  'api-key': { headers: { 'api-key': SECRET } },
  'proxy-authorization': { headers: { 'proxy-authorization': `Basic ${SECRET}` } },
  cookie: { headers: { cookie: `session=${SECRET}` } },
  'x-amz-security-token': { headers: { 'x-amz-security-token': SECRET } },
  'an unknown header': { headers: { 'x-new-way-to-sign-in': SECRET } },
  'key in the query': { query: `?key=${SECRET}&alt=sse` },
  'signature in the query': { query: `?X-Amz-Signature=${SECRET}` },
};

test.each(Object.entries(WAYS))('no byte of a key is stored: %s', async (_, { headers = {}, query = '' }) => {
  const { store, written } = watchedStore();
  const forest = newForest(store);
  const fetch = recordFetch(forest, {
    fetch: async () => Response.json({ error: { message: 'no' } }, { status: 401, headers: { 'set-cookie': SECRET } }),
  });
  const url = `https://api.example.com/v1/chat/completions${query}`;
  await (await fetch(url, { method: 'POST', headers, body: '{"model":"m","messages":[]}' })).text();
  await fetch.settled();
  expect(written()).toContain('/v1/chat/completions');
  expect(written()).not.toContain(SECRET);
  expect(written()).not.toContain('very-secret');
});

test('an answer and an error that repeat the key are stored without it', async () => {
  const { store, written } = watchedStore();
  const headers = { authorization: `Bearer ${SECRET}` };
  const echo = recordFetch(newForest(store), {
    fetch: async () => new Response(`Wrong key: ${SECRET}`, { status: 401 }),
  });
  expect(await (await echo('https://api.openai.com/v1/models', { headers })).text()).toContain(SECRET);
  const failing = recordFetch(newForest(store), { fetch: () => Promise.reject(new Error(`cannot send ${SECRET}`)) });
  await expect(failing('https://api.openai.com/v1/models', { headers })).rejects.toThrow(SECRET);
  await Promise.all([echo.settled(), failing.settled()]);
  expect(written()).toContain('Wrong key: [key removed]');
  expect(written()).not.toContain(SECRET);
});

/** Every letter of the key in another spelling. */
const SPELLINGS: Readonly<Record<string, (letter: string, hex: string) => string>> = {
  'escaped in JSON': (_, hex) => `\\u00${hex}`,
  'escaped in JSON, in capitals': (_, hex) => `\\u00${hex.toUpperCase()}`,
  'escaped in JSON inside of JSON': (_, hex) => `\\\\u00${hex}`,
  'percent-encoded': (_, hex) => `%${hex}`,
  'percent-encoded twice': (_, hex) => `%25${hex.toUpperCase()}`,
  'one letter of it': (letter, hex) => (letter === 'v' ? `\\u00${hex}` : letter),
};

test.each(Object.entries(SPELLINGS))('a key is found however it is spelt: %s', async (_, spell) => {
  const { store, written } = watchedStore();
  const spelt = [...SECRET].map((letter) => spell(letter, letter.charCodeAt(0).toString(16))).join('');
  const fetch = recordFetch(newForest(store), {
    fetch: async () => new Response(`{"error":"Wrong: ${spelt}."}`, { status: 401 }),
  });
  const body = `{"model":"m","messages":[],"user":"${spelt}, 100%25 \\u00e9"}`;
  const url = 'https://api.example.com/v1/chat/completions';
  await (await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${SECRET}` }, body })).text();
  await fetch.settled();
  // What is written is JSON, in which a backslash is two.
  expect(written().replaceAll('\\\\', '\\')).not.toContain(spelt);
  expect(written()).toContain('Wrong: [key removed].');
  expect(written()).toContain('[key removed], 100%25 \\\\u00e9');
});

test('a key that is percent-encoded in the query is not stored where the answer repeats the address', async () => {
  const { store, written } = watchedStore();
  const encoded = SECRET.replaceAll('e', '%65').replaceAll('-', '%2d');
  const fetch = recordFetch(newForest(store), {
    fetch: async (input) => new Response(`No such page: ${String(input)}`, { status: 404 }),
  });
  const url = `https://api.example.com/v1/chat/completions?key=${encoded}`;
  await (await fetch(url, { method: 'POST', body: '{"model":"m","messages":[]}' })).text();
  await fetch.settled();
  expect(written()).toContain('No such page: https://api.example.com/v1/chat/completions?key=[key removed]');
  expect(written()).not.toContain(encoded);
});

test('a key that an API has accepted is not in the store either', async () => {
  const emulator = await start();
  const { store, written } = watchedStore();
  const fetch = recordFetch(newForest(store));
  const headers = { 'x-goog-api-key': SECRET, 'content-type': 'application/json' };
  const body = '{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}';
  const url = `${emulator.url}/v1beta/models/gemini-3-pro-preview:generateContent`;
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  await fetch.settled();
  expect(written()).not.toContain(SECRET);
});

test('any bytes are kept as they are', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
      ),
      (bytes) => {
        expect([...unpackBytes(JSON.parse(JSON.stringify(packBytes(bytes))))!]).toEqual([...bytes]);
      },
    ),
  );
  const mark = new Uint8Array([0xef, 0xbb, 0xbf, 0x61]);
  expect([...unpackBytes(packBytes(mark))!]).toEqual([...mark]);
});
