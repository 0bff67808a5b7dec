import { diffPrefix, type Message, tool, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { ask, bodies, eventsOf, expectAccepted, rolesOf, start, WAYS, weather } from './kit.ts';

const question = [user('How is the weather in Oslo and Rome?')];

describe.each(WAYS)('$protocol, stream: $stream', ({ api, protocol, stream }) => {
  test('parallel calls are answered in their order, and the answer follows', async () => {
    const emulator = await start();
    emulator.script(protocol, [
      {
        blocks: [
          { type: 'thinking', text: 'Two cities.' },
          { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } },
          { type: 'tool-use', name: 'get_weather', input: { city: 'Rome' } },
        ],
      },
      says('Cold and warm.'),
    ]);
    // The first call is done last.
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = tool({
      name: 'get_weather',
      input: weather.parameters,
      execute: async ({ city }) => {
        if (city === 'Oslo') await gate;
        else release();
        return `${String(city)} 4`;
      },
    });
    const running = ask(emulator, api, { messages: question, tools: [slow], stream });
    const events = await eventsOf(running);
    const result = await running.result;
    expectAccepted(emulator);
    expect(result.text).toBe('Cold and warm.');
    expect(await running.text).toBe('Cold and warm.');
    expect(result.stop.reason).toBe('end');
    expect(rolesOf(result.messages)).toEqual(['assistant', 'tool', 'tool', 'assistant']);
    expect(result.messages.slice(1, 3).map(({ text }) => text)).toEqual(['Oslo 4', 'Rome 4']);
    expect(events.filter(({ type }) => type === 'message')).toHaveLength(4);
    expect(events.flatMap((event) => (event.type === 'tool-use' ? [event.name] : []))).toEqual([
      'get_weather',
      'get_weather',
    ]);
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')).toBe('Cold and warm.');
    expect(events.at(-1)).toEqual({ type: 'finish', result });
    expect(result.steps).toHaveLength(2);
    expect(result.usage?.output).toBeGreaterThan(0);
    expect(diffPrefix(bodies(emulator)[0]!, bodies(emulator)[1]!)).toBeUndefined();
  });

  test('what goes wrong with a tool is told to the model, and the loop goes on', async () => {
    const emulator = await start();
    emulator.script(protocol, [
      {
        blocks: [
          { type: 'tool-use', name: 'fail', input: {} },
          { type: 'tool-use', name: 'nowhere', input: {} },
          { type: 'tool-use', name: 'get_weather', input: { town: 'Oslo', country: 3 } },
        ],
      },
      says('Sorry.'),
    ]);
    const fail = tool({
      name: 'fail',
      execute: () => {
        throw new Error('the disk is full');
      },
    });
    const result = await ask(emulator, api, { messages: question, tools: [fail, weather], stream }).result;
    expectAccepted(emulator);
    const [failed, unknown, invalid] = result.messages.slice(1, 4) as [Message, Message, Message];
    expect(failed.text).toBe('the disk is full');
    expect(unknown.text).toContain('no tool named "nowhere"');
    expect(invalid.text).toMatch(/required property "city"[\s\S]*town[\s\S]*country/);
    expect([failed, unknown, invalid].every(({ toolResults }) => toolResults[0]?.isError)).toBe(true);
    expect(result.actions.map(({ outcome }) => outcome).sort()).toEqual(['failed', 'invalid', 'unknown-tool']);
    expect(result.text).toBe('Sorry.');
  });

  test('ten turns with tools: each request extends the one before', async () => {
    const emulator = await start();
    const history: Message[] = [];
    for (let turn = 0; turn < 10; turn++) {
      emulator.script(protocol, [
        {
          blocks: [
            { type: 'thinking', text: `Turn ${turn}.` },
            { type: 'text', text: 'One moment.' },
            { type: 'tool-use', name: 'get_weather', input: { city: `City ${turn}` } },
          ],
        },
        says(`Answer ${turn}.`),
      ]);
      history.push(user(`Question ${turn}`));
      const options = { system: 'Be brief.', messages: history, tools: [weather], stream };
      const { messages } = await ask(emulator, api, options).result;
      history.push(...messages);
    }
    expectAccepted(emulator);
    const sent = bodies(emulator);
    expect(sent).toHaveLength(20);
    for (let index = 1; index < sent.length; index++)
      expect(diffPrefix(sent[index - 1]!, sent[index]!)).toBeUndefined();
  });

  test('a tool gives back an image', async () => {
    const emulator = await start();
    emulator.script(protocol, [{ blocks: [{ type: 'tool-use', name: 'draw', input: {} }] }, says('Nice.')]);
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data } } as const;
    const draw = tool({ name: 'draw', execute: () => [{ type: 'text', text: 'Here.' }, image] });
    const result = await ask(emulator, api, { messages: question, tools: [draw], stream }).result;
    expect(result.text).toBe('Nice.');
    expect(result.messages[1]?.toolResults[0]?.content).toEqual([{ type: 'text', text: 'Here.' }, image]);
    expect(bodies(emulator)[1]).toContain(data);
    expectAccepted(emulator);
  });

  test('what is sent need not be what is stored', async () => {
    const emulator = await start();
    const messages = [user('A long story.'), user('And now?')];
    const outgoing = (stored: readonly Message[]) => [user('In short.'), ...stored.slice(1)];
    const result = await ask(emulator, api, { messages, outgoing, stream }).result;
    expect(bodies(emulator)[0]).toContain('In short.');
    expect(bodies(emulator)[0]).not.toContain('A long story.');
    expect(result.messages).toHaveLength(1);
    expectAccepted(emulator);
  });
});

describe.each(WAYS.filter(({ protocol }) => protocol.startsWith('openai')))(
  '$protocol, stream: $stream',
  ({ api, protocol, stream }) => {
    test('arguments that are no JSON are told, and spoil nothing that follows', async () => {
      const emulator = await start();
      emulator.script(protocol, [
        { blocks: [{ type: 'tool-use', name: 'get_weather', input: '{"city": "Os' }] },
        says('Once more.'),
        says('Later.'),
      ]);
      const first = await ask(emulator, api, { messages: question, tools: [weather], stream }).result;
      expect(first.messages[1]?.text).toContain('not JSON');
      expect(first.text).toBe('Once more.');
      const messages = [...question, ...first.messages, user('And?')];
      expect((await ask(emulator, api, { messages, tools: [weather], stream }).result).text).toBe('Later.');
      expectAccepted(emulator);
    });
  },
);
