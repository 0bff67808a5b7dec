/** Replies that pause: each API is asked to go on in its own way, and never by a message of ours. */
import { user } from '@skein/core';
import { type MessageReply, says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { type Api, anthropic, ask, bodies, expectAccepted, interactions, start, weather } from './kit.ts';

const search = (index: number) => ({
  type: 'native' as const,
  value: { type: 'server_tool_use', id: `srvtoolu_${index}`, name: 'web_search', input: { query: 'cats' } },
});
const found = (index: number) => ({
  type: 'native' as const,
  value: { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${index}`, content: [] },
});
const text = (said: string) => ({ type: 'text' as const, text: said });

/** Two pauses, a call of a tool, and the answer. */
const TALK: Readonly<Record<string, readonly MessageReply[]>> = {
  [anthropic.protocol]: [
    { blocks: [text('Searching.'), search(1)], stop: 'pause' },
    { blocks: [found(1), search(2)], stop: 'pause' },
    { blocks: [found(2), { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
    says('Warm.'),
  ],
  [interactions.protocol]: [
    { blocks: [text('Searching.')], stop: 'pause' },
    { blocks: [text('Still.')], stop: 'pause' },
    { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
    says('Warm.'),
  ],
};

async function talk(api: Api, options: object) {
  const emulator = await start();
  emulator.script(api.protocol, [...TALK[api.protocol]!]);
  const result = await ask(emulator, api, { tools: [weather], ...options, messages: [user('Cats?')] }).result;
  expect(result.text).toBe('Warm.');
  expectAccepted(emulator);
  expect(result.losses).toEqual([]);
  expect(bodies(emulator).join('')).not.toContain('Continue.');
  const next = [user('Cats?'), ...result.messages, user('Thanks')];
  const { losses } = await ask(emulator, api, { ...options, messages: next }).result;
  expectAccepted(emulator);
  expect(losses).toEqual([]);
  return bodies(emulator).map((body) => JSON.parse(body));
}

describe.each([true, false])('stream: %s', (stream) => {
  test('Anthropic gets the conversation again, with the reply at its end', async () => {
    const sent = await talk(anthropic, { stream });
    expect(sent.map(({ messages }) => messages.length)).toEqual([1, 2, 3, 5, 7]);
  });

  test('a thread goes on with no message at all', async () => {
    const sent = await talk(anthropic, { stream, serverState: true });
    expect(sent.slice(0, 4).map(({ messages }) => messages.length)).toEqual([1, 0, 0, 1]);
    expect(sent.slice(1, 4).map(({ thread }) => thread.type)).toEqual(['continue', 'continue', 'continue']);
  });

  test('an interaction that nobody keeps goes on with its token and the original input', async () => {
    const sent = await talk(interactions, { stream });
    expect(sent.map(({ input }) => input.length)).toEqual([1, 1, 1, 5, 7]);
    expect(sent.map(({ continuation_token: token }) => typeof token)).toEqual([
      ...['undefined', 'string', 'string', 'undefined', 'undefined'],
    ]);
    expect(sent[1].input).toEqual(sent[0].input);
    expect(sent[1].continuation_token).not.toBe(sent[2].continuation_token);
  });

  test('a stored interaction goes on with its token and no input', async () => {
    const sent = await talk(interactions, { stream, serverState: true });
    expect(sent.slice(0, 4).map(({ input }) => input?.length)).toEqual([1, undefined, undefined, 1]);
    expect(sent[1]).toMatchObject({
      previous_interaction_id: expect.any(String),
      continuation_token: expect.any(String),
    });
    expect(sent[3]).not.toHaveProperty('continuation_token');
  });
});

test('a thread that was forgotten during a pause goes on with the whole history', async () => {
  let now = 0;
  const emulator = await start({ now: () => now });
  emulator.script('anthropic-messages', [...TALK['anthropic-messages']!]);
  const running = ask(emulator, anthropic, { tools: [weather], serverState: true, messages: [user('Cats?')] });
  for await (const event of running) if (event.type === 'message' && now === 0) now = 6 * 60_000;
  const { notices, text: said } = await running.result;
  expect(said).toBe('Warm.');
  expect(notices.map(({ code }) => code)).toEqual(['server-state']);
});
