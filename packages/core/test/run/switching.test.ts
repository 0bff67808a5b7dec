import { digest, type Message, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { APIS, ask, bodies, expectAccepted, start, weather } from './kit.ts';

const inner = (raw: string): string => (raw.startsWith('[') ? raw.slice(1, -1) : raw);

const pairs = APIS.flatMap((here) => APIS.filter((there) => there !== here).map((there) => ({ here, there })));

describe.each(pairs)('$here.protocol, then $there.protocol, and back', ({ here, there }) => {
  test('with thinking and tools on both sides', async () => {
    const emulator = await start();
    const history: Message[] = [];
    const own: Message[] = [];
    for (const [turn, api] of [here, there, here].entries()) {
      emulator.script(api.protocol, [
        {
          blocks: [
            { type: 'thinking', text: `Thought ${turn}.` },
            { type: 'tool-use', name: 'get_weather', input: { city: `City ${turn}` } },
          ],
        },
        says(`Answer ${turn}.`),
      ]);
      history.push(user(`Question ${turn}`));
      const { messages, text } = await ask(emulator, api, { messages: history, tools: [weather] }).result;
      expect(text).toBe(`Answer ${turn}.`);
      history.push(...messages);
      if (turn === 0) own.push(...messages.filter(({ role }) => role === 'assistant'));
    }
    expectAccepted(emulator);
    // Back home, what was said there is sent as it was.
    for (const { raw } of own) expect(bodies(emulator).at(-1)).toContain(inner(raw));
    // Nothing opaque of one went to the other.
    const away = bodies(emulator)[2]!;
    expect(away).not.toContain('Thought 0.');
  });
});

test.each(APIS)('$protocol: a tool whose name it does not take is found again', async (api) => {
  const emulator = await start();
  // Google and Cohere mind the first letter, too.
  const name = '1.files/read';
  const renamed = `1_files_read_${digest(name).slice(0, 6)}`;
  emulator.script(api.protocol, [
    {
      blocks: [
        { type: 'tool-use', name: /^(?:google|cohere)/.test(api.provider) ? `_${renamed}` : renamed, input: {} },
      ],
    },
    says('Read.'),
  ]);
  const read = tool({ name, execute: () => 'text' });
  const running = ask(emulator, api, { messages: [user('Read it.')], tools: [read] });
  const names: string[] = [];
  for await (const event of running) if ('name' in event) names.push(event.name);
  expect(names).toEqual([name, name]);
  expect((await running.result).actions).toMatchObject([{ name, outcome: 'done' }]);
  expectAccepted(emulator);
});

test.each(APIS)('$protocol: names that differ only in what it does not take stay two tools', async (api) => {
  const emulator = await start();
  const names = ['1.read/a', '1_read.a', '1_read_a'];
  const tools = names.map((name) => tool({ name, execute: () => `by ${name}` }));
  await ask(emulator, api, { messages: [user('Read.')], tools }).result;
  const told = [...bodies(emulator)[0]!.matchAll(/"name":"([^"]*read[^"]*)"/g)].map((match) => match[1]!);
  expect(new Set(told).size).toBe(3);
  const calls = told.map((name) => ({ type: 'tool-use', name, input: {} }) as const);
  emulator.script(api.protocol, [{ blocks: calls }, says('Read.')]);
  const { messages } = await ask(emulator, api, { messages: [user('Read.')], tools }).result;
  expect(messages.slice(1, 4).map(({ text }) => text)).toEqual(names.map((name) => `by ${name}`));
  expectAccepted(emulator);
});
