import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startWorld } from './kit.ts';

const chat = (url: string, headers: Record<string, string> = {}) =>
  new OpenAI({ apiKey: 'skein', baseURL: `${url}/gateway/openai/v1`, maxRetries: 0, defaultHeaders: headers });

test('a chat completions client is answered by an Anthropic model, whole and streamed', async () => {
  const { server, emulator } = await startWorld();
  const openai = chat(server.url);
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
