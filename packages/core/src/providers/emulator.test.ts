import { type Emulator, startEmulator } from '@skein/emulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialect, writeRequest } from '../dialects/index.ts';
import { user } from '../message/index.ts';
import { provider } from './registry.ts';
import { exchange } from './transport/exchange.ts';

const KEY = 'the-only-key-that-is-accepted';
let emulator: Emulator;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  emulator = await startEmulator({ key: KEY });
  env = emulator.env();
});

afterAll(() => emulator.close());

describe.each([
  ['openai', 'gpt-5.2'],
  ['openai-chat', 'gpt-4o'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['google', 'gemini-3-flash-preview'],
])('%s, found by the variables that its vendor reads', (id, model) => {
  const own = provider(id);
  const language = dialect(own.dialect);
  const request = (stream: boolean) =>
    writeRequest(language, { model, messages: [user('Hello')], params: { stream }, provider: own }).body;

  it('answers with one text', async () => {
    const { text } = await exchange({ provider: own, model, body: request(false), env, stream: false });
    expect(language.readResponse(text).message.text).toContain('Hello');
  });

  it('answers with a stream', async () => {
    const { events } = await exchange({ provider: own, model, body: request(true), env, stream: true });
    const reader = language.readStream();
    for await (const { event, data } of events) reader.push(event, data);
    const { message, stop } = reader.finish();
    expect([message.text.includes('Hello'), message.origin.cut, stop.reason]).toEqual([true, undefined, 'end']);
  });

  it('refuses another key, and the error does not hold it', async () => {
    const key = 'another-key-entirely';
    const error: unknown = await exchange({
      provider: own,
      model,
      body: request(false),
      env,
      key,
      stream: false,
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ retryable: false, code: expect.stringMatching(/^(authentication|permission)$/) });
    expect(JSON.stringify(error)).not.toContain(key);
  });
});
