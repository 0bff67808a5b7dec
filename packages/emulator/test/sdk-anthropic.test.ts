import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import type { Emulator } from '../src/index.ts';
import { start } from './support.ts';

const client = (emulator: Emulator) =>
  new Anthropic({ apiKey: 'k', baseURL: emulator.baseUrl('anthropic-messages'), maxRetries: 0 });
const tools = [
  { name: 'get_weather', input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } } },
];
const messages = [{ role: 'user' as const, content: 'Weather in Oslo?' }];
const thinking = { type: 'adaptive' as const };
const request = { model: 'claude-opus-5-5', max_tokens: 4000, tools, thinking };
const blocks = [
  { type: 'thinking', text: 'They want the weather in Oslo.' },
  { type: 'text', text: 'I will look.' },
  { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } },
] as const;

test('streamed thinking and a call come back signed and are accepted', async () => {
  const emulator = await start();
  emulator.script('anthropic-messages', { blocks, pieces: 6 });
  const anthropic = client(emulator);
  const stream = anthropic.messages.stream({ ...request, messages });
  const reply = await stream.finalMessage();
  expect(reply.stop_reason).toBe('tool_use');
  expect(reply.content[0]).toMatchObject({ type: 'thinking', thinking: 'They want the weather in Oslo.' });
  expect(reply.content[2]).toMatchObject({ type: 'tool_use', input: { city: 'Oslo' } });
  const use = reply.content[2];
  const result = { type: 'tool_result' as const, tool_use_id: use?.type === 'tool_use' ? use.id : '', content: '-3' };
  const history = [
    ...messages,
    { role: 'assistant' as const, content: reply.content },
    { role: 'user' as const, content: [result] },
  ];
  const next = await anthropic.messages.create({ ...request, messages: history });
  expect(next.content).toMatchObject([{ type: 'text', text: 'Tool results: -3' }]);
  expect(emulator.log.at(-1)?.verdict).toEqual({ refusal: undefined, warnings: [] });
  const edited = anthropic.messages.create({ ...request, messages: history, system: 'Be brief.' });
  await expect(edited).rejects.toThrow('The `system` prompt differs');
});

test('an error inside a stream, an overload, a count and the models', async () => {
  const emulator = await start();
  const anthropic = client(emulator);
  emulator.script('anthropic-messages', [{ blocks, streamError: { afterEvents: 4 } }, { error: { status: 529 } }]);
  const cut = anthropic.messages.stream({ ...request, messages }).finalMessage();
  await expect(cut).rejects.toThrow('Overloaded');
  await expect(anthropic.messages.create({ ...request, messages })).rejects.toMatchObject({ status: 529 });
  const count = await anthropic.messages.countTokens({ model: request.model, messages });
  expect(count.input_tokens).toBeGreaterThan(5);
  const models = await anthropic.models.list();
  expect(models.data.map(({ id }) => id)).toContain('claude-opus-5-5');
});
