import { Chat, MessageList, system, user } from '@skein/core';
import { expect, test } from 'vitest';
import { share } from '../../../../scripts/test-shares.ts';
import { anthropic, bodies, modelOf, responses, start, weather } from '../run/kit.ts';

const SLIPS = [null, 5, -1, '', '__proto__', [], [null], {}, true, 1e9, undefined];

/** Every place in a JSON value. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => places(inner, [...path, name]))];
}

function edited(text: string, path: readonly string[], slip: unknown): string {
  const value = JSON.parse(text);
  const parent = path.slice(0, -1).reduce((inner, name) => inner[name], value);
  parent[path.at(-1)!] = slip;
  return JSON.stringify(value);
}

test.each([anthropic, responses])('$protocol: a state edited by hand never throws, wherever it was', async (api) => {
  const emulator = await start();
  const call = { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } } as const;
  emulator.script(api.protocol, { blocks: [call] });
  const tools = [weather];
  const chat = new Chat({ model: modelOf(api), env: emulator.env(), tools, retry: false });
  const { state } = await chat.chatWithState(null, [user('Oslo?')]);
  // Nobody is asked: all that is looked at here happens before that.
  const fetch = async (): Promise<Response> => {
    throw new Error('asked');
  };
  for (const [turn, path] of places(JSON.parse(state)).slice(1).entries())
    for (const slip of share(SLIPS, turn)) {
      const text = edited(state, path, slip);
      const where = `${path.join('.')} = ${JSON.stringify(slip)}`;
      const asked = chat.chatWithState(text, [system('S'), user('And Rome?')], { fetch });
      await expect(asked, where).rejects.toThrow('asked');
      expect(() => chat.appendToState(text, [user('And Rome?')]), where).not.toThrow();
    }
  expect(Object.isFrozen(Array.prototype)).toBe(false);
});

test('a list that names an origin by a word touches nothing of the language', () => {
  const saved = JSON.parse(JSON.stringify(new MessageList([user('Hi')])));
  for (const origin of ['__proto__', 'constructor', 'map', '0', 0.5, -1, null]) {
    saved.messages[0].origin = origin;
    expect(() => MessageList.fromJSON(saved), String(origin)).toThrow('Cannot read message 0: its origin');
  }
  expect([Array.prototype, Array, Array.prototype.map].some((one) => Object.isFrozen(one))).toBe(false);
  expect(Object.isFrozen(saved.origins[0])).toBe(false);
});

test('a state that a database has parsed is given back as text, also when something was appended to it', async () => {
  const emulator = await start();
  const chat = new Chat({ model: modelOf(anthropic), env: emulator.env() });
  const { state } = await chat.chatWithState(null, [user('Hello')]);
  const discarded = { reason: 'invalid_conversation_state', state };
  const object = JSON.parse(state);
  expect((await chat.chatWithState(object, [user('Again')])).discarded).toEqual(discarded);
  const appended = chat.appendToState(object, [user('A bell rings')]);
  expect((await chat.chatWithState(appended, [user('Again')])).discarded).toEqual(discarded);
});

test('what was sent is still known after a call that was stopped before it was answered', async () => {
  const emulator = await start();
  const chat = new Chat({ model: modelOf(responses), env: emulator.env() });
  const { state } = await chat.chatWithState(null, [user('Hello')]);
  const stopped = await chat.chatWithState(state, [user('Wait')], { signal: AbortSignal.abort() });
  expect(stopped.stop.reason).toBe('aborted');
  const manifestIn = (text: string) => JSON.parse(text).list.manifest;
  expect(manifestIn(stopped.state)).toEqual(manifestIn(state));
  expect(manifestIn(state)).toBeDefined();
  expect(bodies(emulator)).toHaveLength(1);
});

test.each([
  [{ system: 'You are brief.' }, 'give system(...) as the first message of each call'],
  [{ messages: [] }, 'Unknown option "messages"'],
  [{ onMissmatch: 'throw' }, 'Unknown option "onMissmatch"'],
  [{ onMismatch: 'error' }, 'onMismatch must be "discard", "translate" or "throw"'],
])('a chat does not ignore %j', async (options, words) => {
  expect(() => new Chat({ model: 'openai/gpt-5.5', ...options } as never)).toThrow(words);
  const chat = new Chat({ model: 'openai/gpt-5.5' });
  await expect(chat.chatWithState(null, [user('Hi')], options as never)).rejects.toThrow(words);
});
