import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { llm, type Message, MessageList, user } from '@skein/core';
import { loadConversation, saveConversation } from '@skein/core/node';
import { describe, expect, test } from 'vitest';
import { APIS, anthropic, bodies, chat, expectAccepted, modelOf, start, weather } from '../run/kit.ts';

async function talked() {
  const emulator = await start();
  emulator.script('anthropic-messages', {
    blocks: [
      { type: 'thinking', text: 'Hm' },
      { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } },
    ],
  });
  const conversation = llm
    .model(modelOf(anthropic))
    .config({ env: emulator.env(), apiKey: 'sk-very-secret', extraHeaders: { 'x-secret': 'hidden-header' } })
    .params({ maxTokens: 4321 })
    .tools(weather)
    .agent('You are a clerk.')
    .image('https://x.test/a.png')
    .request('Oslo? \u2028 é 😀')
    .conversation();
  for await (const _ of conversation);
  return { emulator, conversation, env: emulator.env() };
}

const rawsOf = (messages: Iterable<Message>) => [...messages].map(({ raw }) => raw);

describe('a saved conversation', () => {
  test('holds messages and nothing else', async () => {
    const { conversation } = await talked();
    for (const text of [
      JSON.stringify(conversation.save()),
      JSON.stringify(conversation),
      JSON.stringify(conversation.messages),
    ])
      expect(text).not.toMatch(/sk-very-secret|hidden-header|4321|The weather of a city|BASE_URL/);
  });

  test('goes through values, texts, streams of the web and of Node, and files', async () => {
    const { conversation } = await talked();
    const raws = rawsOf(conversation.messages);
    expect(rawsOf(llm.load(conversation.save()).messages)).toEqual(raws);
    expect(rawsOf(llm.load(JSON.stringify(conversation)).messages)).toEqual(raws);

    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const [loaded] = await Promise.all([llm.load(readable), conversation.save(writable).then(() => writable.close())]);
    expect(rawsOf(loaded.messages)).toEqual(raws);

    const pipe = new PassThrough();
    const saved = conversation.save(pipe).then(() => pipe.end());
    expect(rawsOf((await llm.load(pipe)).messages)).toEqual(raws);
    await saved;
    // Cut anywhere, in the middle of characters, too.
    const bytes = Buffer.from(JSON.stringify(conversation));
    const pieces = Readable.from(
      Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7)),
    );
    expect(rawsOf((await llm.load(pieces)).messages)).toEqual(raws);

    const folder = await mkdtemp(join(tmpdir(), 'skein-saving-'));
    await saveConversation(join(folder, 'a.json'), conversation);
    expect(rawsOf((await loadConversation(join(folder, 'a.json'))).messages)).toEqual(raws);
    expect(await readFile(join(folder, 'a.json'), 'utf8')).not.toContain('sk-very-secret');
    await rm(folder, { recursive: true });
  });

  test('is never loaded from a stream with characters replaced', async () => {
    const text = JSON.stringify(new MessageList([user('Grüß dich')]));
    await expect(llm.load(Readable.from([Buffer.from(text, 'latin1')]))).rejects.toThrow(/not valid/);
  });

  test('a stream that fails is told', async () => {
    const { conversation } = await talked();
    const broken = { write: (_: Uint8Array, done: (error?: Error) => void) => done(new Error('full')) };
    await expect(conversation.save(broken)).rejects.toThrow('full');
  });

  test.each(APIS)('goes on with $provider', async (api) => {
    const { emulator, conversation, env } = await talked();
    const loaded = llm.load(JSON.stringify(conversation));
    const text = await loaded.continuation.config({ env }).tools(weather).model(modelOf(api)).request('Go on').prompt();
    expect(text).toBe('Echo: Go on');
    expect(loaded.losses.length > 0).toBe(api !== anthropic);
    expectAccepted(emulator);
  });

  test('asks its own provider with the same bytes as before', async () => {
    const { emulator, conversation, env } = await talked();
    const loaded = llm.load(conversation.save());
    await loaded.continuation
      .config({ env })
      .params({ maxTokens: 4321 })
      .tools(weather)
      .model(modelOf(anthropic))
      .request('Go on')
      .prompt();
    const [, before, after] = bodies(emulator) as [string, string, string];
    const list = (body: string) => body.slice(0, body.lastIndexOf('],"max_tokens"'));
    expect(after.startsWith(list(before))).toBe(true);
  });

  test('older lists and bare arrays are loaded, too', async () => {
    const emulator = await start();
    const array = '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello","x_new":1.0}]';
    const loaded = llm.load(array, { dialect: 'openai-chat' });
    await loaded.continuation.config({ env: emulator.env() }).model(modelOf(chat)).request('Go on').prompt();
    expect(bodies(emulator)[0]).toContain('{"role":"assistant","content":"Hello","x_new":1.0}');
  });
});
