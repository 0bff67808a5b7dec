import { inspect } from 'node:util';
import { anthropicMessages, RefusalMemory, RunError, runWith, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import {
  APIS,
  anthropic,
  ask,
  bodies,
  chat,
  eventsOf,
  expectAccepted,
  google,
  modelOf,
  responses,
  start,
  WAYS,
  weather,
} from './kit.ts';

const question = [user('Hello?')];

async function failure(promise: Promise<unknown>): Promise<RunError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RunError);
  return error as RunError;
}

describe.each(WAYS)('$protocol, stream: $stream', ({ api, protocol, stream }) => {
  test('a busy provider is asked again, and that is told', async () => {
    const emulator = await start();
    emulator.script(protocol, [{ error: { status: 429 }, retryAfter: { ms: 1 } }, says('Hello.')]);
    const running = ask(emulator, api, { messages: question, stream });
    const events = await eventsOf(running);
    expect(events[0]).toMatchObject({ type: 'retry', attempt: 1, waitMs: 1 });
    expect((await running.result).text).toBe('Hello.');
  });

  test('an error that stays is thrown with all that is known', async () => {
    const emulator = await start();
    emulator.script(protocol, [
      { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
      { error: { status: 401, message: 'no such key' }, headers: { 'x-request-id': 'req_7' } },
    ]);
    const running = ask(emulator, api, { messages: question, tools: [weather], stream });
    const seen: string[] = [];
    const error = await failure(
      (async () => {
        for await (const { type } of running) seen.push(type);
      })(),
    );
    expect(seen).toContain('tool-result');
    expect(seen).not.toContain('finish');
    expect(error).toMatchObject({ code: 'authentication', status: 401, retryable: false, requestId: 'req_7' });
    expect(error.rawBody).toContain('no such key');
    expect(error.messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(error.message).toContain('no such key');
    expect(await failure(running.result)).toBe(error);
  });
});

describe.each(APIS)('$protocol', (api) => {
  test('a stream that breaks off keeps what it said', async () => {
    const emulator = await start();
    const reply = says('A long answer that never ends.', { pieces: 4, break: { after: { events: 6 }, how: 'cut' } });
    emulator.script(api.protocol, [reply, says('Once more.')]);
    const error = await failure(ask(emulator, api, { messages: question }).result);
    expect(error).toMatchObject({ code: 'connection', retryable: true });
    expect(error.messages).toHaveLength(1);
    expect('A long answer that never ends.').toContain(error.messages[0]!.text);
    expect(error.steps[0]).toMatchObject({ estimated: true });
    const messages = [...question, ...error.messages, user('Once more, please.')];
    expect((await ask(emulator, api, { messages }).result).text).toBe('Once more.');
    expectAccepted(emulator);
  });

  test('a stream that ends too early is no answer', async () => {
    const emulator = await start();
    emulator.script(
      api.protocol,
      says('That is hardly all.', { pieces: 2, break: { after: { events: 5 }, how: 'end' } }),
    );
    expect(await failure(ask(emulator, api, { messages: question }).result)).toMatchObject({ code: 'connection' });
  });

  test('an error in the stream, after words, is thrown', async () => {
    const emulator = await start();
    emulator.script(api.protocol, says('A long answer.', { pieces: 2, streamError: { afterEvents: 6 } }));
    const error = await failure(ask(emulator, api, { messages: question }).result);
    expect(error.retryable).toBe(true);
    expect(error.messages).toHaveLength(1);
  });
});

test('an error in the stream, before any word, is tried again', async () => {
  const emulator = await start();
  emulator.script(anthropic.protocol, [says('Never.', { streamError: { afterEvents: 1 } }), says('Hello.')]);
  const running = ask(emulator, anthropic, { messages: question });
  const events = await eventsOf(running);
  expect(events.map(({ type }) => type)).toContain('retry');
  expect(await running.text).toBe('Hello.');
});

test('a failure that comes with status 200 is a failure', async () => {
  const emulator = await start();
  const body = '{"error":{"message":"upstream is overloaded","code":"server_is_overloaded"}}';
  const reply = { raw: { status: 200, headers: { 'content-type': 'application/json' }, body } };
  emulator.script(chat.protocol, [reply, says('Hello.'), reply, reply, reply]);
  const options = { messages: question, stream: false };
  expect(await ask(emulator, chat, options).text).toBe('Hello.');
  const error = await failure(ask(emulator, chat, options).result);
  expect(error).toMatchObject({ code: 'overloaded', retryable: true, rawBody: body });
});

test.each([
  ['one text', false, 'text/html', (page: string) => page],
  ['one JSON text', false, 'application/json', (page: string) => JSON.stringify({ page })],
  ['a page in place of a stream', true, 'text/html', (page: string) => page],
  ['JSON in place of a stream', true, 'application/json', (page: string) => JSON.stringify({ page })],
  ['a stream of something else', true, 'text/event-stream', (page: string) => `data: ${page}\n\n`],
])('a page with status 200 that quotes the key does not show it: %s', async (_, stream, type, write) => {
  const emulator = await start();
  const key = 'sk-secret-0123456789';
  const body = write(`<html>You sent: authorization: Bearer ${key}</html>`);
  const headers = { 'content-type': type, 'x-request-id': 'req_8' };
  for (const api of APIS) {
    emulator.script(api.protocol, [{ raw: { status: 200, headers, body } }]);
    const error = await failure(ask(emulator, api, { messages: question, apiKey: key, stream, retry: false }).result);
    const logged = [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), String(error)].join();
    expect(logged).not.toContain(key);
    // Binary streams are never of this type.
    expect(error.retryable).toBe(type === 'text/event-stream' && api.protocol !== 'bedrock-converse');
    if (stream && type !== 'text/html') continue;
    expect(error).toMatchObject({ code: 'not_this_protocol', status: 200, requestId: 'req_8' });
    expect(error.rawBody).toBe(body.replace(key, '[redacted]'));
  }
});

test.each([
  ['text/html; charset=utf-8', '<!doctype html>\n<h1>Welcome</h1>\ndata: none\n'],
  ['text/plain', '<html>Welcome</html>'],
  ['text/event-stream', '<html>Welcome</html>'],
])('a page with status 200 in place of a stream is not asked for again: %s', async (type, body) => {
  const emulator = await start();
  for (const api of APIS) {
    const before = emulator.log.length;
    emulator.script(api.protocol, [{ raw: { status: 200, headers: { 'content-type': type }, body } }]);
    const error = await failure(ask(emulator, api, { messages: question }).result);
    expect(error).toMatchObject({ code: 'not_this_protocol', status: 200, rawBody: body, retryable: false });
    expect(error.message).toContain('Welcome');
    expect(emulator.log.length - before).toBe(1);
  }
});

test.each([true, false])('an error in one text does not claim to come from a stream: stream %s', async (stream) => {
  const emulator = await start();
  const body = '{"error":{"message":"no such voice","type":"invalid_voice"}}';
  const headers = { 'content-type': 'application/json', 'x-request-id': 'req_9' };
  for (const api of APIS) {
    emulator.script(api.protocol, [{ raw: { status: 200, headers, body } }]);
    const error = await failure(ask(emulator, api, { messages: question, stream, retry: false }).result);
    expect(error).toMatchObject({ status: 200, requestId: 'req_9', rawBody: body });
    expect(error.message).toMatch(/no such voice \(200, request req_9\)$/);
  }
});

test('a page in place of a reply leads to the next model', async () => {
  const emulator = await start();
  emulator.script(chat.protocol, [{ raw: { status: 200, headers: {}, body: '<html>Welcome</html>' } }]);
  emulator.script(anthropic.protocol, [says('Hello.')]);
  const options = { messages: question, stream: false, fallback: [modelOf(anthropic)] };
  expect(await ask(emulator, chat, options).text).toBe('Hello.');
});

test('iterating alone never leaves a rejection behind', async () => {
  const rejections: unknown[] = [];
  const listen = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', listen);
  const emulator = await start();
  emulator.script(chat.protocol, { error: { status: 400 } });
  const running = ask(emulator, chat, { messages: question });
  await expect(eventsOf(running)).rejects.toBeInstanceOf(RunError);
  const other = ask(emulator, { ...chat, model: 'does-not-exist' }, { messages: question });
  await expect(eventsOf(other)).rejects.toMatchObject({ code: 'not_found' });
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listen);
  expect(rejections).toEqual([]);
  expect('then' in running).toBe(false);
});

test.each([
  ['no provider', 'nobody/model', 'unknown_provider'],
  ['no model', 'anthropic', 'invalid_model'],
  ['no key', 'mistral/mistral-large', 'missing_key'],
])('%s: the run fails with a code', async (_, model, code) => {
  const emulator = await start();
  expect(await failure(ask(emulator, chat, { model, messages: question }).result)).toMatchObject({ code });
});

test('a run without messages fails before anything is sent', async () => {
  const emulator = await start();
  for (const api of APIS) {
    const error = await failure(ask(emulator, api, { messages: [], fallback: [modelOf(chat)] }).result);
    expect(error.message).toContain('"messages" is empty');
  }
  expect(emulator.log).toEqual([]);
});

describe('a field that its own provider refuses', () => {
  test.each([
    [anthropic, { block: { mood: 'calm' } }],
    [chat, { message: { x_note: 'n' } }],
    [responses, { block: { mood: 'calm' } }],
    [google, { block: { mood: 'calm' } }],
  ] as const)('is left out, once for all: %o', async (api, extra) => {
    const emulator = await start({ settings: { refuseOwnFields: true, refuseUnknownMessageFields: true } });
    const refusals = new RefusalMemory();
    emulator.script(api.protocol, [{ ...says('Hi.'), extra }, says('Two.'), says('Three.')]);
    const first = await ask(emulator, api, { messages: question, refusals }).result;
    const history = [...question, ...first.messages, user('Again?')];
    const second = await ask(emulator, api, { messages: history, refusals, previous: first.manifest }).result;
    expect(second.text).toBe('Two.');
    expect(second.notices.map(({ code }) => code)).toContain('refused-field');
    expect(second.losses).toContainEqual(expect.objectContaining({ reason: 'refused-field' }));
    expect(emulator.log.map(({ verdict }) => verdict.refusal === undefined)).toEqual([true, false, true]);
    history.push(...second.messages, user('And again?'));
    const third = await ask(emulator, api, { messages: history, refusals, previous: second.manifest }).result;
    expect(third.text).toBe('Three.');
    expect(emulator.log).toHaveLength(4);
    // It stays in what is stored.
    expect(first.messages[0]!.raw).toMatch(/mood|x_note/);
  });
});

test('a field that its own provider refuses is left out also by a run with one dialect', async () => {
  const emulator = await start({ settings: { refuseOwnFields: true } });
  emulator.script(anthropic.protocol, [{ ...says('Hi.'), extra: { block: { mood: 'calm' } } }, says('Two.')]);
  const options = { model: anthropic.model, env: emulator.env(), refusals: new RefusalMemory() };
  const first = await runWith(anthropicMessages, { ...options, messages: question }).result;
  const messages = [...question, ...first.messages, user('Again?')];
  const second = await runWith(anthropicMessages, { ...options, messages }).result;
  expect(second.text).toBe('Two.');
  expect(second.notices.map(({ code }) => code)).toContain('refused-field');
});

describe('another model is asked', () => {
  test('when the first one cannot answer, with what the switch lost', async () => {
    const emulator = await start();
    emulator.script(anthropic.protocol, {
      blocks: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'Hi.' },
      ],
    });
    const first = await ask(emulator, anthropic, { messages: question }).result;
    const messages = [...question, ...first.messages, user('Again?')];
    emulator.script(
      anthropic.protocol,
      [1, 2, 3].map(() => ({ error: { status: 529 }, retryAfter: { ms: 0 } })),
    );
    emulator.script(google.protocol, says('From elsewhere.'));
    const result = await ask(emulator, anthropic, { messages, fallback: [modelOf(google)] }).result;
    expect(result.text).toBe('From elsewhere.');
    const notice = result.notices.find(({ code }) => code === 'fallback');
    expect(notice?.message).toContain('google/gemini-3-pro-preview is asked instead of anthropic/claude-opus-5-5');
    expect(notice?.losses).toContainEqual(expect.objectContaining({ reason: 'foreign-reasoning' }));
    expect(result.steps.map(({ provider }) => provider)).toEqual(['google']);
    // Back again: everything of its own is there.
    emulator.script(anthropic.protocol, says('Back.'));
    await ask(emulator, anthropic, { messages: [...messages, ...result.messages, user('Back?')] }).result;
    expect(bodies(emulator).at(-1)).toContain(first.messages[0]!.raw);
    expectAccepted(emulator);
  });

  test('but not once words have come, nor for a request that is wrong in itself', async () => {
    const emulator = await start();
    const fallback = [modelOf(google)];
    emulator.script(anthropic.protocol, says('A long answer.', { pieces: 2, streamError: { afterEvents: 6 } }));
    await failure(ask(emulator, anthropic, { messages: question, fallback }).result);
    emulator.script(anthropic.protocol, { error: { status: 400 } });
    await failure(ask(emulator, anthropic, { messages: question, fallback }).result);
    expect(emulator.log.every(({ protocol }) => protocol === anthropic.protocol)).toBe(true);
  });

  test('and is never shown the key of the first', async () => {
    const emulator = await start();
    emulator.script(anthropic.protocol, { error: { status: 403 } });
    await ask(emulator, anthropic, {
      messages: question,
      fallback: [modelOf(google)],
      apiKey: 'only-for-anthropic',
      extraHeaders: { 'x-mine': 'secret' },
      env: emulator.env(),
    }).result;
    const [first, second] = emulator.log;
    expect(first?.headers).toMatchObject({ 'x-api-key': 'only-for-anthropic', 'x-mine': 'secret' });
    expect(JSON.stringify(second?.headers)).not.toMatch(/only-for-anthropic|secret/);
  });
});
