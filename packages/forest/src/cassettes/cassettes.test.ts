import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addIgnoreRules, cassetteFetch, learnIgnoreRules, openCassettes } from './index.ts';

const URL_ = 'https://api.openai.com/v1/chat/completions';
const KEY = `sk-proj-${'Ab3dEf6hIjKlMnOp'.repeat(3)}`;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-cassettes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'tape');
}

const ask = (content: string, more: object = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
  body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content }], ...more }),
});

/** A provider whose answers have bytes that printing JSON would change. */
function provider() {
  const asked: string[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    asked.push(String(init?.body));
    const isStream = String(init?.body).includes('"stream":true');
    const text = isStream
      ? 'data: {"id":"c1","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'
      : `{ "id": "c1", "n": 1.0, "choices": [{"index":0,"message":{"role":"assistant","content":"Hi ${asked.length}"},"finish_reason":"stop"}] }`;
    return new Response(text, { headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' } });
  };
  return { asked, fetch };
}

const refusing = { fetch: async () => Promise.reject(new Error('the provider was asked')) };

test('what was recorded answers again byte for byte, in order, without the provider and without the key', async () => {
  const cassette = newFolder();
  const real = provider();
  const recording = cassetteFetch({ cassette, mode: 'record-missing', fetch: real.fetch });
  const texts = [];
  for (const init of [
    ask('Hello'),
    ask('Hello', { stream: true }),
    { ...ask('x'), body: ' {"model": "gpt-5.2", "messages": []} ' },
  ])
    texts.push(await (await recording(URL_, init)).text());
  expect(await recording.finish()).toMatchObject({
    hits: 0,
    misses: [],
    unused: [],
    written: ['0001-gpt-5.2.json', '0002-gpt-5.2.json', '0003-gpt-5.2.json'],
  });
  const files = readdirSync(cassette).map((name) => readFileSync(join(cassette, name), 'utf8'));
  expect(files.join('')).not.toContain(KEY);
  expect(JSON.parse(files[0]!).request.body.messages[0].content).toBe('Hello');

  const replay = cassetteFetch({ cassette, ...refusing });
  const again = [];
  for (const init of [
    ask('Hello'),
    ask('Hello', { stream: true }),
    { ...ask('x'), body: '{"messages":[],"model":"gpt-5.2"}' },
  ])
    again.push(await (await replay(URL_, init)).text());
  expect(again).toEqual(texts);
  expect(await replay.finish()).toMatchObject({ hits: 3, misses: [], unused: [], written: [] });
});

test('a miss is refused and told with the element that drifted, and unused cassettes are named', async () => {
  const cassette = newFolder();
  const recording = cassetteFetch({ cassette, mode: 'record-missing', fetch: provider().fetch });
  await (await recording(URL_, ask('Hello'))).text();
  await recording.finish();
  const replay = cassetteFetch({ cassette, ...refusing });
  expect((await replay(URL_, ask('Goodbye'))).status).toBe(404);
  const { misses, unused, hits } = await replay.finish();
  expect({ hits, unused }).toEqual({ hits: 0, unused: ['0001-gpt-5.2.json'] });
  expect(misses).toMatchObject([
    { method: 'POST', path: '/v1/chat/completions', message: expect.stringContaining('they part at messages[0]') },
  ]);
});

test('declared volatile parts do not count, and a match says what was ignored', async () => {
  const cassette = newFolder();
  const recording = cassetteFetch({ cassette, mode: 'record-missing', fetch: provider().fetch });
  await (await recording(URL_, ask('Today is Monday. Hello', { user: 'u1' }))).text();
  await recording.finish();
  addIgnoreRules(cassette, [
    { path: 'messages[*].content', match: 'Today is \\w+' },
    { path: 'user' },
    { path: 'metadata.none' },
  ]);
  const replay = cassetteFetch({ cassette, ...refusing });
  expect((await replay(URL_, ask('Today is Friday. Hello', { user: 'u2' }))).status).toBe(200);
  expect((await replay(URL_, ask('Today is Friday. Bye', { user: 'u2' }))).status).toBe(404);
  const { ignored, hits } = await replay.finish();
  expect(hits).toBe(1);
  expect([...ignored.keys()]).toEqual(['messages[*].content =~ Today is \\w+', 'user']);
});

test('rules are learned from what differs between two recordings', () => {
  const body = (time: string, id: string, more: string) =>
    JSON.stringify({
      metadata: { user_id: id },
      messages: [{ role: 'user', content: `It is ${time}. ${more}` }],
      n: 1,
    });
  const rules = learnIgnoreRules([
    [body('08:00', 'kim', 'Hi'), body('09:30', 'lee', 'Hi')],
    [body('08:00', 'kim', 'one'), body('08:00', 'kim', 'two')],
  ]);
  expect(rules.map(({ path, match }) => [path, match !== undefined])).toEqual([
    ['metadata.user_id', false],
    ['messages[0].content', true],
    ['messages[0].content', false],
  ]);
});

test('a member that only one of two recordings has is learned, and its rule answers requests with and without it', async () => {
  const [first, second] = [ask('Hello'), ask('Hello', { metadata: { run: 7 }, user: 'u1' })];
  const rules = learnIgnoreRules([[first.body, second.body]]);
  expect(rules).toEqual([{ path: 'metadata' }, { path: 'user' }]);
  const cassette = newFolder();
  const recording = cassetteFetch({ cassette, mode: 'record-missing', fetch: provider().fetch });
  await (await recording(URL_, first)).text();
  await recording.finish();
  addIgnoreRules(cassette, rules);
  const replay = cassetteFetch({ cassette, ...refusing });
  expect((await replay(URL_, second)).status).toBe(200);
  expect((await replay(URL_, first)).status).toBe(200);
});

test('of cassettes that part from a request at the same message, the one with the most similar text is named', async () => {
  const cassette = newFolder();
  const recording = cassetteFetch({ cassette, mode: 'record-missing', fetch: provider().fetch });
  for (const content of ['It is 08:00. Name a river.', 'Something else'])
    await (await recording(URL_, ask(content))).text();
  await recording.finish();
  const replay = cassetteFetch({ cassette, ...refusing });
  await replay(URL_, ask('It is 09:30. Name a river.'));
  const { misses } = await replay.finish();
  expect(misses[0]!.message).toContain('recorded {"role":"user","content":"It is 08:00. Name a river."}');
});

test.each([
  ['a key in the body', { content: `My key is ${KEY.replace('Ab3', 'Zz9')}` }, {}],
  ['a declared secret', { content: 'the secret is rosebud-1941' }, { secrets: ['rosebud-1941'] }],
])(
  'a cassette with %s is refused when it is written, and nothing of it is on disk',
  async (_, { content }, options) => {
    const cassette = newFolder();
    const recording = cassetteFetch({ cassette, mode: 'record-missing', fetch: provider().fetch, ...options });
    await (await recording(URL_, ask(content))).text();
    await expect(recording.finish()).rejects.toMatchObject({
      code: 'secret_in_cassette',
      message: expect.stringMatching(/0001.*line \d+/),
    });
    expect(() => readdirSync(cassette)).toThrow();
  },
);

test.each([
  ['cut JSON', (text: string) => text.slice(0, 60), /0001-gpt-5\.2\.json:\d+ is no JSON/],
  ['another version', (text: string) => text.replace('"cassette": 1', '"cassette": 9'), /no cassette of this version/],
])('a corrupt cassette (%s) is an error that names file and line', async (_, damage, message) => {
  const cassette = newFolder();
  const recording = cassetteFetch({ cassette, mode: 'record-missing', fetch: provider().fetch });
  await (await recording(URL_, ask('Hello'))).text();
  await recording.finish();
  const file = join(cassette, '0001-gpt-5.2.json');
  writeFileSync(file, damage(readFileSync(file, 'utf8')));
  await expect(openCassettes(cassette)).rejects.toThrow(message);
});
