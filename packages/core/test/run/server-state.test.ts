/** `serverState`: the API keeps the conversation, and a request contains only what is new. */
import { Chat, type RunOptions, user } from '@skein/core';
import { type Emulator, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { type Api, anthropic, ask, bodies, interactions, responses, start, weather } from './kit.ts';

const CALL = {
  blocks: [
    { type: 'thinking' as const, text: 'Let me look.' },
    { type: 'tool-use' as const, name: 'get_weather', input: { city: 'Oslo' } },
  ],
};
const STATE: readonly Api[] = [anthropic, responses, interactions];
const LIST: Readonly<Record<string, string>> = {
  'anthropic-messages': 'messages',
  'openai-responses': 'input',
  'google-interactions': 'input',
};
const sizes = (emulator: Emulator, { protocol }: Api): number[] =>
  bodies(emulator).flatMap((body) => (body === '' ? [] : (JSON.parse(body)[LIST[protocol]!] as unknown[]).length));
const base: Omit<RunOptions, 'model' | 'messages'> = {
  system: 'Be brief.',
  tools: [weather],
  serverState: true,
  params: { reasoning: { effort: 'high' } },
};

describe.each(STATE)('$protocol', (api) => {
  test('a loop sends only what is new, and every request is accepted', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [CALL, CALL, says('Warm.')]);
    const result = await ask(emulator, api, { ...base, messages: [user('Weather?')] }).result;
    expect(result.text).toBe('Warm.');
    expect(emulator.log.map(({ verdict }) => verdict.refusal?.message)).toEqual([undefined, undefined, undefined]);
    expect(sizes(emulator, api)).toEqual([1, 1, 1]);
    expect(result.losses).toEqual([]);
    const [, second] = bodies(emulator).map((body) => JSON.parse(body));
    expect('tools' in second).toBe(api !== anthropic);
  });

  test('the next run continues from the manifest of the last one', async () => {
    const emulator = await start();
    const first = await ask(emulator, api, { ...base, messages: [user('One')] }).result;
    const messages = [user('One'), ...first.messages, user('Two')];
    const second = await ask(emulator, api, { ...base, messages, previous: first.manifest! }).result;
    expect(second.text).toBe('Echo: Two');
    expect(sizes(emulator, api)).toEqual([1, 1]);
  });

  test('a server that forgot gets the whole history, with a notice', async () => {
    const emulator = await start();
    const first = await ask(emulator, api, { ...base, messages: [user('One')] }).result;
    const { id } = JSON.parse(first.steps[0]!.envelope) as { id: string };
    if (api === responses)
      await fetch(`${emulator.url}/v1/responses/${id}`, { method: 'DELETE', headers: { authorization: 'Bearer k' } });
    const fresh = api === responses ? emulator : await start();
    const messages = [user('One'), ...first.messages, user('Two')];
    const second = await ask(fresh, api, { ...base, messages, previous: first.manifest! }).result;
    expect(second.text).toBe('Echo: Two');
    expect(second.notices.map(({ code }) => code)).toContain('server-state');
    expect(sizes(fresh, api).slice(-2)).toEqual([1, 3]);
    const third = await ask(fresh, api, {
      ...base,
      messages: [...messages, ...second.messages, user('Three')],
      previous: second.manifest!,
    }).result;
    expect(third.notices).toEqual([]);
    expect(sizes(fresh, api).at(-1)).toBe(1);
  });

  test('an edited history is sent whole, because the server has another one', async () => {
    const emulator = await start();
    const first = await ask(emulator, api, { ...base, messages: [user('One')] }).result;
    const messages = [user('Other'), ...first.messages, user('Two')];
    const second = await ask(emulator, api, { ...base, messages, previous: first.manifest! }).result;
    expect(second.text).toBe('Echo: Two');
    expect(sizes(emulator, api)).toEqual([1, 3]);
  });

  test('a reply that broke off is not continued: the next request is whole', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [
      CALL,
      { ...says('A long answer that breaks'), break: { after: { events: 5 }, how: 'cut' } },
    ]);
    const running = ask(emulator, api, { ...base, messages: [user('Weather?')], retry: false });
    const failed = await running.result.catch((error: unknown) => error as { messages: readonly never[] });
    const messages = [user('Weather?'), ...(failed as { messages: readonly never[] }).messages, user('Again')];
    const { text } = await ask(emulator, api, { ...base, messages }).result;
    expect(text).toBe('Echo: Again');
    expect(emulator.log.at(-1)!.verdict.refusal).toBeUndefined();
  });

  test('a request that is retried after a broken connection goes on', async () => {
    const emulator = await start();
    emulator.script(api.protocol, [CALL, { ...says('Lost'), break: { after: 'request', how: 'cut' } }]);
    const result = await ask(emulator, api, { ...base, messages: [user('Weather?')] }).result;
    expect(result.text).toContain('Tool results');
  });

  test('a chat keeps the anchor in its state', async () => {
    const emulator = await start();
    const chat = new Chat({ model: `${api.provider}/${api.model}`, env: emulator.env(), serverState: true });
    const first = await chat.chatWithState(undefined, [user('One')]);
    const second = await chat.chatWithState(first.state, [user('Two')]);
    expect(second.text).toBe('Echo: Two');
    expect(sizes(emulator, api)).toEqual([1, 1]);
  });
});

test('what a thread cannot hold is sent without one from then on', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', [CALL, says('Warm.')]);
  const result = await ask(emulator, anthropic, {
    ...base,
    messages: [user('Weather?')],
    extraBody: { fallbacks: 'default' },
  }).result;
  expect(result.text).toBe('Warm.');
  expect(result.notices.map(({ code }) => code)).toEqual(['server-state']);
  expect(bodies(emulator).map((body) => 'thread' in JSON.parse(body))).toEqual([true, false, false]);
});

test('betas of the caller stay', async () => {
  const emulator = await start();
  const extraHeaders = { 'Anthropic-Beta': 'other-2026-01-01' };
  await ask(emulator, anthropic, { ...base, messages: [user('One')], extraHeaders }).result;
  expect(emulator.log[0]!.headers['anthropic-beta']).toBe('other-2026-01-01,message-threads-2026-08-12');
});

test('store: false and serverState exclude each other', async () => {
  const emulator = await start();
  const running = ask(emulator, responses, { ...base, messages: [user('One')], extraBody: { store: false } });
  await expect(running.result).rejects.toThrow('"serverState" sets "store"');
});

test('a thread that expired goes on with the whole history, and is kept again', async () => {
  let now = 0;
  const emulator = await start({ now: () => now });
  const first = await ask(emulator, anthropic, { ...base, messages: [user('One')] }).result;
  now += 6 * 60_000;
  const messages = [user('One'), ...first.messages, user('Two')];
  const second = await ask(emulator, anthropic, { ...base, messages, previous: first.manifest! }).result;
  expect(second.text).toBe('Echo: Two');
  expect(second.notices.map(({ code }) => code)).toEqual(['server-state']);
  expect(second.losses).toEqual([]);
  const third = await ask(emulator, anthropic, {
    ...base,
    messages: [...messages, ...second.messages, user('Three')],
    previous: second.manifest!,
  }).result;
  expect(third.notices).toEqual([]);
  expect(sizes(emulator, anthropic)).toEqual([1, 1, 3, 1]);
});

test('a thread that was continued already goes on with the whole history', async () => {
  const emulator = await start();
  const first = await ask(emulator, anthropic, { ...base, messages: [user('One')] }).result;
  const go = async (text: string) => {
    const messages = [user('One'), ...first.messages, user(text)];
    return ask(emulator, anthropic, { ...base, messages, previous: first.manifest! }).result;
  };
  expect((await go('Two')).notices).toEqual([]);
  const fork = await go('Another two');
  expect(fork.text).toBe('Echo: Another two');
  expect(fork.notices.map(({ code }) => code)).toEqual(['server-state']);
  expect(emulator.log.map(({ verdict }) => verdict.refusal?.message ?? '')).toEqual([
    '',
    '',
    expect.stringContaining('already been continued'),
    '',
  ]);
});

test('a thread that another request is continuing goes on with the whole history', async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isHeld = false;
  const emulator = await start({
    sleep: () => {
      isHeld = true;
      return gate;
    },
  });
  const first = await ask(emulator, anthropic, { ...base, messages: [user('One')] }).result;
  const go = (text: string) => {
    const messages = [user('One'), ...first.messages, user(text)];
    return ask(emulator, anthropic, { ...base, messages, previous: first.manifest! });
  };
  emulator.script('anthropic-messages', [says('Slow.', { chunkDelay: 3 }), says('Fast.')]);
  const slow = go('Two');
  await expect.poll(() => isHeld).toBe(true);
  const fast = await go('Another two').result;
  open();
  expect([(await slow.result).text, fast.text]).toEqual(['Slow.', 'Fast.']);
  expect(fast.notices.map(({ code }) => code)).toEqual(['server-state']);
  expect(JSON.stringify(emulator.log.map(({ served }) => String(served?.body)))).toContain('thread_continue_in_flight');
});

test('a thread whose fixed settings change goes on with the whole history', async () => {
  const emulator = await start();
  const first = await ask(emulator, anthropic, { ...base, messages: [user('One')] }).result;
  const messages = [user('One'), ...first.messages, user('Two')];
  const second = await ask(emulator, anthropic, {
    ...base,
    params: { reasoning: { effort: 'low' } },
    messages,
    previous: first.manifest!,
  }).result;
  expect(second.text).toBe('Echo: Two');
  expect(second.notices.map(({ code }) => code)).toEqual(['server-state']);
  const third = await ask(emulator, anthropic, {
    ...base,
    params: { reasoning: { effort: 'low' } },
    messages: [...messages, ...second.messages, user('Three')],
    previous: second.manifest!,
  }).result;
  expect(third.notices).toEqual([]);
  expect(sizes(emulator, anthropic)).toEqual([1, 1, 3, 1]);
});
