/** The samples of docs/emulator.md, run. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { type MessageReply, rawJson, says, startEmulator } from '@skein/emulator';
import OpenAI from 'openai';
import { expect, test } from 'vitest';

const page = readFileSync(fileURLToPath(new URL('../../../docs/emulator.md', import.meta.url)), 'utf8');
const source = readFileSync(fileURLToPath(import.meta.url), 'utf8');
const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

test('every line of the samples in the page is run here', () => {
  const samples = [...page.matchAll(/```ts\n(.*?)```/gs)].flatMap(([, code = '']) => lines(code));
  const run = new Set(lines(source));
  expect(samples.length).toBeGreaterThan(30);
  expect(samples.filter((line) => !line.startsWith('import ') && !run.has(line))).toEqual([]);
});

const messages = [{ role: 'user' as const, content: 'Hello' }];

test('start', async () => {
  const emulator = await startEmulator();

  const openai = new OpenAI({ apiKey: 'any', baseURL: emulator.baseUrl('openai-chat') });
  const anthropic = new Anthropic({ apiKey: 'any', baseURL: emulator.baseUrl('anthropic-messages') });
  const google = new GoogleGenAI({
    apiKey: 'any',
    httpOptions: { baseUrl: emulator.baseUrl('google-generatecontent') },
  });

  const reply = await openai.chat.completions.create({ model: 'gpt-5.5', messages });
  expect(reply.choices[0]?.message.content).toBe('Echo: Hello');

  const other = await anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 10, messages });
  expect(other.content).toMatchObject([{ text: 'Echo: Hello' }]);
  expect((await google.models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hello' })).text).toBe(
    'Echo: Hello',
  );

  await emulator.close();
});

test('script', async () => {
  const emulator = await startEmulator();
  const openai = new OpenAI({ apiKey: 'any', baseURL: emulator.baseUrl('openai-chat'), maxRetries: 0 });
  const create = () => openai.chat.completions.create({ model: 'gpt-5.5', messages });

  emulator.script('openai-chat', [
    { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
    says('It is cold in Oslo.'),
    { error: { status: 429 }, retryAfter: { seconds: 7 } },
    { raw: { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' } },
  ]);

  expect((await create()).choices[0]?.finish_reason).toBe('tool_calls');
  expect((await create()).choices[0]?.message.content).toBe('It is cold in Oslo.');
  await expect(create()).rejects.toMatchObject({ status: 429 });
  await expect(create()).rejects.toMatchObject({ status: 502 });

  const reply: MessageReply = {
    blocks: [
      { type: 'thinking', text: 'They mean the city.' },
      { type: 'text', text: 'Oslo, then.', extra: { confidence: rawJson('0.90') } },
      { type: 'native', value: { type: 'future_block', payload: [1, 2] } },
    ],
    extra: { message: { x_note: 'new' }, event: { x_trace: 'abc' } },
    events: [{ after: 2, event: 'future_event', data: { type: 'future_event' } }],
    stop: 'max-tokens',
    usage: { input: 120, output: 12 },
    pieces: 4,
  };
  emulator.script('anthropic-messages', reply);

  const anthropic = new Anthropic({ apiKey: 'any', baseURL: emulator.baseUrl('anthropic-messages') });
  const message = await anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 10, messages });
  expect(message).toMatchObject({ stop_reason: 'max_tokens', x_note: 'new', usage: { input_tokens: 120 } });
  await emulator.close();
});

test('faults', async () => {
  const waited: number[] = [];
  const emulator = await startEmulator({
    now: () => Date.UTC(2026, 0, 1),
    sleep: async (milliseconds) => {
      waited.push(milliseconds);
    },
  });

  emulator.script('anthropic-messages', [
    says('Slow.', { delay: 30_000, chunkDelay: 500, chunkBytes: 7 }),
    says('Overloaded half way.', { streamError: { afterEvents: 3 } }),
    says('Cut in the middle.', { break: { after: { bytes: 200 }, how: 'cut' } }),
    says('Silent after the head.', { break: { after: 'head', how: 'hang' } }),
    says('Never answered.', { break: { after: 'request', how: 'reset' } }),
  ]);

  const anthropic = new Anthropic({ apiKey: 'k', baseURL: emulator.baseUrl('anthropic-messages'), maxRetries: 0 });
  const stream = () => anthropic.messages.stream({ model: 'claude-opus-5-5', max_tokens: 10, messages }).finalMessage();
  expect((await stream()).content).toMatchObject([{ text: 'Slow.' }]);
  expect(waited[0]).toBe(30_000);
  await expect(stream()).rejects.toThrow('Overloaded');
  await expect(stream()).rejects.toThrow();
  expect(emulator.log.at(-1)?.served?.body.length).toBe(200);
  await emulator.close();
});

test('log', async () => {
  const emulator = await startEmulator();
  const anthropic = new Anthropic({ apiKey: 'any', baseURL: emulator.baseUrl('anthropic-messages'), maxRetries: 0 });
  const system = 'Be brief.';
  await anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 10, messages, system });

  const entry = emulator.log.at(-1);
  expect(entry?.verdict.refusal?.rule).toBeUndefined();
  expect(entry?.verdict.warnings).toEqual([]);
  expect(entry?.body.toString()).toContain('"system":"Be brief."');
  expect(entry?.served).toMatchObject({ status: 200, ended: 'complete' });

  const bad = anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 10, messages: [] });
  await expect(bad).rejects.toThrow('messages: at least one message is required');
  expect(emulator.log.at(-1)?.verdict.refusal?.rule).toBe('anthropic-messages.no-messages');
  await emulator.close();
});

test('memory', async () => {
  const emulator = await startEmulator();
  const recordedBody = JSON.stringify({
    model: 'claude-opus-5-5',
    max_tokens: 10,
    messages: [
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'EqkECkYIBxgC' },
          { type: 'text', text: 'Hi.' },
        ],
      },
      { role: 'user', content: 'And now?' },
    ],
  });

  emulator.register('anthropic-messages', { signature: 'EqkECkYIBxgC', text: 'Hm.', model: 'claude-opus-5-5' });
  emulator.trust('anthropic-messages', recordedBody);

  const headers = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };
  const response = await fetch(`${emulator.url}/v1/messages`, { method: 'POST', headers, body: recordedBody });
  expect(response.status).toBe(200);

  emulator.settings = { refuseOwnFields: true, enforcePrefix: true };
  emulator.reset();
  expect(emulator.log).toEqual([]);
  await emulator.close();
});

test('other deployments', async () => {
  const emulator = await startEmulator({
    issuers: { groq: { extra: ['reasoning_format'], refuseUnknownMessageFields: true } },
  });
  const groq = new OpenAI({ apiKey: 'any', baseURL: emulator.baseUrl('openai-chat', 'groq') });
  emulator.script('openai-chat', says('From groq.'), 'groq');

  const { choices } = await groq.chat.completions.create({ model: 'llama', messages });
  expect(choices[0]?.message.content).toBe('From groq.');
  expect(emulator.log.at(-1)).toMatchObject({ issuer: 'groq', path: '/groq/v1/chat/completions' });
  await emulator.close();
});

test('brains', async () => {
  const demo = await startEmulator({ brain: 'demo', seed: 'demo', sleep: async () => {} });
  const custom = await startEmulator({
    brain: ({ text, attempt }) => says(attempt === 0 ? text.toUpperCase() : 'Again?'),
  });
  const ask = async (baseURL: string) => {
    const openai = new OpenAI({ apiKey: 'any', baseURL });
    return (await openai.chat.completions.create({ model: 'gpt-5.5', messages })).choices[0]?.message.content;
  };
  expect(await ask(demo.baseUrl('openai-chat'))).toContain("Skein's demo model");
  expect(await ask(custom.baseUrl('openai-chat'))).toBe('HELLO');
  expect(await ask(custom.baseUrl('openai-chat'))).toBe('Again?');
  await demo.close();
  await custom.close();
});
