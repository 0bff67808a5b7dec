import Anthropic from '@anthropic-ai/sdk';
import { type Emulator, says } from '@skein/emulator';
import { listExchanges, recordFetch, reproject } from '@skein/forest';
import OpenAI from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { expectAccepted, start } from './kit.ts';
import { newForest, QUESTIONS, script, TALKS } from './record-kit.ts';

const PROTOCOLS = Object.keys(TALKS) as (keyof typeof TALKS)[];
const ANSWERS = QUESTIONS.map((_, turn) => `Answer ${turn}.`);

async function talk(
  protocol: keyof typeof TALKS,
  options: { fetch: ReturnType<typeof recordFetch>; url: string; stream: boolean },
) {
  const client = TALKS[protocol](options);
  const answers: string[] = [];
  for (const question of QUESTIONS) answers.push(await client.ask(question));
  return answers;
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  test.each([false, true])(
    'a ten-turn tool conversation is one thread, and replays offline (stream: %s)',
    async (stream) => {
      const emulator = await start();
      script(emulator, protocol);
      const forest = newForest();
      const errors: unknown[] = [];
      const fetch = recordFetch(forest, { tags: ['ten'], onError: (error) => errors.push(error) });
      expect(await talk(protocol, { fetch, url: emulator.url, stream })).toEqual(ANSWERS);
      await fetch.settled();
      expect(errors).toEqual([]);
      expectAccepted(emulator);

      const threads = (await forest.threads.list()).items;
      expect(threads).toHaveLength(1);
      expect(threads[0]).toMatchObject({ title: QUESTIONS[0] });
      const path = await forest.path(threads[0]!.head);
      expect(
        path
          .filter(({ role }) => role === 'user')
          .map(({ message }) => message.text)
          .filter((text) => text !== ''),
      ).toEqual(QUESTIONS);
      expect(path.filter(({ message }) => message.toolUses.length > 0)).toHaveLength(5);
      expect(path.at(-1)?.message.text).toBe('Answer 9.');
      const { items } = await listExchanges(forest, { tag: 'ten', limit: 1000 });
      expect(items.map(({ outcome }) => outcome)).toEqual(items.map(() => 'done'));
      expect(items.map(({ landing }) => landing?.way)).toEqual(
        items.map((_, index) => (index === 0 ? 'starts' : 'continues')),
      );
      expect((await forest.store.scan({ limit: 1000 })).items).toHaveLength(path.length);

      // Every reply knows the exact request it answers, and the exact bytes that came back are kept.
      for (const [index, { landing }] of items.entries()) {
        const { body } = await forest.request(landing!.node!);
        expect(body).toBe(emulator.log[index]!.body.toString());
      }
      const last = (await forest.node(threads[0]!.head)).takes.at(-1)!;
      expect(last).toMatchObject({
        via: 'record',
        author: 'model',
        stop: { reason: 'end' },
        exchange: items.at(-1)!.id,
      });
      expect(last.usage?.output).toBeGreaterThan(0);

      expect(await reproject(forest)).toMatchObject({ landed: items.length, waiting: 0, nothing: 0, moved: 0 });
      expect((await forest.threads.list()).items).toEqual(threads);

      await emulator.close();
      const offline = recordFetch(forest, { mode: 'replay' });
      expect(await talk(protocol, { fetch: offline, url: emulator.url, stream })).toEqual(ANSWERS);
      expect((await listExchanges(forest, { limit: 1000 })).items).toHaveLength(items.length);
    },
  );
});

const chat = (emulator: Emulator, fetch: ReturnType<typeof recordFetch>) =>
  new OpenAI({ apiKey: 'sk-secret-chat', baseURL: emulator.baseUrl('openai-chat'), fetch, maxRetries: 2 });
const ask = (content: string) => ({ model: 'gpt-4o', messages: [{ role: 'user' as const, content }] });

test('a retry of the SDK, an edit and a second answer stay in one thread; failures are listed', async () => {
  const emulator = await start();
  const forest = newForest();
  const fetch = recordFetch(forest);
  const openai = chat(emulator, fetch);
  emulator.script('openai-chat', [
    { error: { status: 503 }, retryAfter: { ms: 1 } },
    says('One.'),
    says('Two.'),
    says('Edited.'),
  ]);
  await openai.chat.completions.create(ask('First?'));
  const history = [...ask('First?').messages, { role: 'assistant' as const, content: 'One.' }];
  const more = (content: string) => ({ model: 'gpt-4o', messages: [...history, { role: 'user' as const, content }] });
  await openai.chat.completions.create(more('Second?'));
  await openai.chat.completions.create(more('Second, edited?'));
  await openai.chat.completions.create(more('Second, edited?'));
  await fetch.settled();
  const { items } = await listExchanges(forest);
  expect(items.map(({ outcome, status, landing }) => [outcome, status, landing?.state, landing?.way])).toEqual([
    ['refused', 503, 'nothing', undefined],
    ['done', 200, 'landed', 'starts'],
    ['done', 200, 'landed', 'continues'],
    ['done', 200, 'landed', 'branches'],
    ['done', 200, 'landed', 'branches'],
  ]);
  const threads = (await forest.threads.list()).items;
  expect(threads).toHaveLength(1);
  expect(threads[0]?.head).toBe(items.at(-1)?.landing?.node);
  expect((await listExchanges(forest, { outcome: 'refused' })).items).toHaveLength(1);
  expect((await listExchanges(forest, { status: 200, provider: 'openai-chat', limit: 2 })).items).toHaveLength(2);
  // Replay gives the failure first, then the answer, as the SDK once met them.
  await emulator.close();
  const again = await chat(emulator, recordFetch(forest, { mode: 'replay' })).chat.completions.create(ask('First?'));
  expect(again.choices[0]?.message.content).toBe('One.');
});

test('conversations side by side do not mix, whatever order they end in', async () => {
  const emulator = await start({ sleep: (ms) => new Promise((done) => setTimeout(done, ms)) });
  const forest = newForest();
  const fetch = recordFetch(forest);
  const openai = chat(emulator, fetch);
  emulator.script(
    'openai-chat',
    [1, 2, 3, 4].map((turn) => says(`Answer ${turn}`, { delay: 80 - turn * 20 })),
  );
  await Promise.all([1, 2, 3, 4].map((turn) => openai.chat.completions.create(ask(`Question ${turn}`))));
  await fetch.settled();
  const before = (await forest.threads.list()).items;
  expect(before).toHaveLength(4);
  await reproject(forest);
  expect((await forest.threads.list()).items).toEqual(before);
});

test('an abort reaches the API, and what had come is kept as a cut reply', async () => {
  const emulator = await start({ sleep: (ms) => new Promise((done) => setTimeout(done, ms)) });
  const forest = newForest();
  const fetch = recordFetch(forest);
  const anthropic = new Anthropic({ apiKey: 'sk-secret', baseURL: emulator.url, fetch, maxRetries: 0 });
  emulator.script('anthropic-messages', says('A long answer that nobody waits for.', { pieces: 3, chunkDelay: 20 }));
  const stream = anthropic.messages.stream({
    model: 'claude-opus-5-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Go on?' }],
  });
  stream.on('text', () => stream.abort());
  await expect(stream.finalMessage()).rejects.toThrow();
  await fetch.settled();
  const [exchange] = (await listExchanges(forest, { outcome: 'cut' })).items;
  expect(exchange?.landing).toMatchObject({ state: 'landed', stop: { reason: 'cut' } });
  const node = await forest.node(exchange!.landing!.node!);
  expect('A long answer that nobody waits for.').toContain(node.message.text);
  expect(node.message.text).not.toBe('');
  expect(node.takes[0]).toMatchObject({ stop: { reason: 'cut' }, origin: { cut: true } });
  await expect.poll(() => emulator.log.at(-1)?.served?.ended).toBe('left');
});

test('when the store fails the client gets every byte, and the failure is reported', async () => {
  const emulator = await start();
  const broken = newForest();
  const errors: unknown[] = [];
  const store = { ...broken.store, append: async () => Promise.reject(new Error('disk full')) };
  const fetch = recordFetch({ ...broken, store }, { onError: (error) => errors.push(error) });
  const { choices } = await chat(emulator, fetch).chat.completions.create(ask('Still there?'));
  expect(choices[0]?.message.content).toBe('Echo: Still there?');
  await fetch.settled();
  expect(String(errors[0])).toContain('disk full');
});

test('bytes pass unchanged both ways, and models and counts are exchanges without a place', async () => {
  const emulator = await start();
  const forest = newForest();
  const fetch = recordFetch(forest);
  const body = '{ "model":"gpt-4o", "messages":[{"role":"user","content":"\\u00e9 1.0"}], "seed":1.0 }';
  const headers = { authorization: 'Bearer sk-secret-1', 'content-type': 'application/json' };
  const response = await fetch(`${emulator.url}/v1/chat/completions`, { method: 'POST', headers, body });
  const text = await response.text();
  expect(emulator.log[0]?.body.toString()).toBe(body);
  expect(text).toBe(emulator.log[0]?.served?.body.toString());
  await (await fetch(`${emulator.url}/v1/models`, { headers })).json();
  await fetch.settled();
  const { items } = await listExchanges(forest);
  expect(items.map(({ kind, landing }) => [kind, landing?.state])).toEqual([
    ['generate', 'landed'],
    ['other', 'nothing'],
  ]);
});

test('a replay without a recording says which one comes nearest and where they part', async () => {
  const emulator = await start();
  const forest = newForest();
  const fetch = recordFetch(forest);
  await chat(emulator, fetch).chat.completions.create(ask('How is Oslo?'));
  await fetch.settled();
  const sent = emulator.log.length;
  const offline = chat(emulator, recordFetch(forest, { mode: 'replay' }));
  const missed = offline.chat.completions.create(ask('How is Rome?'));
  await expect(missed).rejects.toThrow(/No recording answers POST .*they part at messages\[0\].*Oslo.*Rome/);
  await expect(missed).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  const claude = new Anthropic({ apiKey: 'k', baseURL: emulator.url, fetch: recordFetch(forest, { mode: 'replay' }) });
  const nothing = claude.messages.create({ model: 'claude-opus-5-5', max_tokens: 1, messages: [] });
  await expect(nothing).rejects.toThrow(/Nothing was recorded at this address/);
  expect(emulator.log).toHaveLength(sent);
  const through = chat(emulator, recordFetch(forest, { mode: 'replay', onMiss: 'pass' }));
  expect((await through.chat.completions.create(ask('How is Rome?'))).choices[0]?.message.content).toContain('Rome');
});

test('a request is recorded although a library replaced the global class Request', async () => {
  const emulator = await start();
  emulator.script('openai-chat', [says('Recorded.')]);
  const forest = newForest();
  const errors: unknown[] = [];
  const fetch = recordFetch(forest, { onError: (error) => errors.push(error) });
  const request = new Request(`${emulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  vi.stubGlobal('Request', class {});
  try {
    expect(await (await fetch(request)).text()).toContain('Recorded.');
    await fetch.settled();
  } finally {
    vi.unstubAllGlobals();
  }
  expect(errors).toEqual([]);
  const { items } = await listExchanges(forest, { limit: 10 });
  expect(items).toMatchObject([{ outcome: 'done', status: 200 }]);
});
