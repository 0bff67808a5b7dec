import type { Emulator, Protocol } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { CLIENTS, callsTwice, connect, openaiClient, speaks } from './gateway-kit.ts';
import { startWorld } from './kit.ts';

/** Models of each protocol that reason. */
const UPSTREAMS: readonly (readonly [model: string, protocol: Protocol])[] = [
  ['anthropic/claude-sonnet-4-5', 'anthropic-messages'],
  ['openai/gpt-5.2', 'openai-responses'],
  ['google/gemini-3-pro-preview', 'google-generatecontent'],
  ['openai-chat/gpt-5.2', 'openai-chat'],
];

/** The signatures and ciphertexts that the provider has given so far. */
function issued(log: Emulator['log']): string[] {
  // A streamed item has other ciphertexts in its other events.
  const lines = log.flatMap(({ served }) => served?.body.toString().split('\n') ?? []);
  const texts = lines.filter((line) => !/"type":"response\.(?!completed)/.test(line)).join('\n');
  const found = texts.matchAll(/"(?:signature|encrypted_content|thoughtSignature)":\s*"([^"]{20,})"/g);
  return [...new Set([...found].map(([, text]) => text!))];
}

describe.each(CLIENTS)('a client of %s', (name) => {
  test.each(UPSTREAMS)(
    'holds a conversation with %s: its reasoning goes back byte for byte',
    async (model, protocol) => {
      const { server, emulator } = await startWorld();
      for (const isStream of [false, true]) {
        emulator.reset();
        emulator.script(protocol, [
          { blocks: callsTwice('I need the weather.') },
          { blocks: speaks('Both are warm.', 'Lisbon and Porto are warm.') },
          { blocks: speaks('Say goodbye.', 'Goodbye.') },
        ]);
        const client = connect(name, server.url, isStream);
        await client.say('How warm is it?', model);
        expect(await client.answerCalls('22 degrees', model), JSON.stringify(client.history)).toBe(
          'Lisbon and Porto are warm.',
        );
        expect(await client.say('Thanks!', model)).toBe('Goodbye.');
        expect(emulator.log.map(({ verdict }) => verdict.refusal?.message)).toEqual([undefined, undefined, undefined]);
        const last = emulator.log.at(-1)!.body.toString();
        const before = issued(emulator.log.slice(0, -1));
        expect(before.filter((text) => !last.includes(text))).toEqual([]);
        if (protocol !== 'openai-chat') expect(before.length).toBeGreaterThan(0);
      }
    },
  );
});

test('a chat completions client is answered by an Anthropic model, whole and streamed', async () => {
  const { server, emulator } = await startWorld();
  const openai = openaiClient(server.url);
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'text', text: 'From Claude.' }] },
    { blocks: [{ type: 'text', text: 'From Claude, streamed.' }] },
  ]);
  const ask = { model: 'anthropic/claude-sonnet-4-5', messages: [{ role: 'user' as const, content: 'Hello' }] };
  const whole = await openai.chat.completions.create(ask);
  expect(whole.choices[0]!.message.content).toBe('From Claude.');
  expect(whole.model).toBe('anthropic/claude-sonnet-4-5');
  let text = '';
  for await (const chunk of await openai.chat.completions.create({ ...ask, stream: true }))
    text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe('From Claude, streamed.');
});
