import { readFileSync } from 'node:fs';
import { dialect, MessageList, user, writeRequest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { APIS } from '../run/kit.ts';

/** What a released version has saved. Such a file is never changed; a new version adds its own. */
const saved = readFileSync(new URL('messages-v1.json', import.meta.url), 'utf8');

describe('a release reads what an earlier one saved (langchain-ai/langgraph#5511)', () => {
  test('every message with its exact text, origin and view', () => {
    const { messages, origins } = JSON.parse(saved);
    const loaded = [...MessageList.fromJSON(saved)];
    expect(loaded.map(({ raw }) => raw)).toEqual(messages.map(({ raw }: { raw: string }) => raw));
    expect(loaded.map(({ origin }) => origin)).toEqual(messages.map((one: { origin: number }) => origins[one.origin]));
    const turn = ['user', 'assistant', 'tool', 'assistant'];
    expect(loaded.map(({ role }) => role)).toEqual([...turn, ...turn, ...turn, ...turn]);
    expect(loaded.filter(({ text }) => text === 'Cold.')).toHaveLength(4);
    expect(loaded.flatMap(({ toolUses }) => toolUses).map(({ parameters }) => parameters.city)).toHaveLength(4);
  });

  test.each(APIS.filter(({ protocol }) => saved.includes(`"${protocol}"`)))(
    'and sends it: $protocol gets its own messages back as they were',
    ({ protocol, model }) => {
      const list = MessageList.fromJSON(saved).append(user('And now?'));
      // Those it was offered then: reasoning is bound to them, by a hash that must not change either.
      const tools = [{ name: 'get_weather', description: 'The weather of a city', parameters: { type: 'object' } }];
      const { body } = writeRequest(dialect(protocol), { model, messages: list, tools });
      const own = [...list].filter(({ origin }) => origin.dialect === protocol);
      expect(own).toHaveLength(2);
      for (const { raw } of own) expect(body).toContain(raw.startsWith('[') ? raw.slice(1, -1) : raw);
    },
  );

  test('and saves it as it was', () => {
    expect(JSON.parse(JSON.stringify(MessageList.fromJSON(saved)))).toEqual(JSON.parse(saved));
  });
});
