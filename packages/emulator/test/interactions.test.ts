import { GoogleGenAI } from '@google/genai';
import { expect, test } from 'vitest';
import { says } from '../src/index.ts';
import { ask, hello, keys, start } from './support.ts';

const model = 'gemini-3.6-flash';
const DAY = 24 * 60 * 60 * 1000;

const clientOf = (url: string) => new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } });

test('the SDK continues a stored interaction, and fetches and deletes it', async () => {
  const emulator = await start();
  const { interactions } = clientOf(emulator.url);
  const tools = [{ type: 'function' as const, name: 'get_weather', parameters: { type: 'object' } }];
  emulator.script('google-interactions', [
    { blocks: [{ type: 'redacted-thinking' }, { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
    says('Cold.'),
  ]);
  const first = await interactions.create({ model, input: 'How is Oslo?', tools });
  expect(first.status).toBe('requires_action');
  const call = first.steps!.find((step) => step.type === 'function_call')!;
  expect(call).toMatchObject({ name: 'get_weather', arguments: { city: 'Oslo' } });
  const second = await interactions.create({
    model,
    tools,
    previous_interaction_id: first.id,
    input: [{ type: 'function_result', call_id: call.id, name: 'get_weather', result: '-3' }],
  });
  expect(second.output_text).toBe('Cold.');
  expect(await interactions.get(second.id)).toMatchObject({ id: second.id, steps: second.steps });
  const whole = await interactions.get(second.id, { include_input: true });
  expect(whole.steps!.map(({ type }) => type)).toEqual(['function_result', 'model_output']);
  await interactions.delete(second.id);
  await expect(interactions.get(second.id)).rejects.toThrow('not found');
});

test('the SDK reads a stream, and reads it again behind the last event that it has seen', async () => {
  const emulator = await start();
  const { interactions } = clientOf(emulator.url);
  emulator.script('google-interactions', says('One two three four five.', { pieces: 4 }));
  const texts: string[] = [];
  let last: string | undefined;
  let id = '';
  for await (const event of await interactions.create({ model, input: 'Count', stream: true, background: true })) {
    if (event.event_type === 'interaction.created') id = event.interaction.id;
    if (event.event_type === 'step.delta' && event.delta.type === 'text') texts.push(event.delta.text);
    last = event.event_id;
    if (texts.length === 2) break;
  }
  for await (const event of await interactions.get(id, { stream: true, last_event_id: last! }))
    if (event.event_type === 'step.delta' && event.delta.type === 'text') texts.push(event.delta.text);
  expect(texts.join('')).toBe('One two three four five.');
});

test('what runs in the background is fetched later, or cancelled', async () => {
  const emulator = await start();
  const { interactions } = clientOf(emulator.url);
  const started = await interactions.create({ model, input: 'Think', background: true });
  expect(started).toMatchObject({ status: 'in_progress' });
  expect((await interactions.get(started.id)).output_text).toBe('Echo: Think');
  await expect(interactions.cancel(started.id)).rejects.toThrow('not running');
  const other = await interactions.create({ model, input: 'Think again', background: true });
  expect(await interactions.cancel(other.id)).toMatchObject({ status: 'cancelled' });
  expect(await interactions.get(other.id)).toMatchObject({ status: 'cancelled' });
});

test('what is not stored has no id, and cannot be continued', async () => {
  const emulator = await start();
  const { answer } = await ask(emulator, 'google-interactions', { ...hello['google-interactions'], store: false });
  expect(answer).not.toHaveProperty('id');
  const body = { model, input: 'Go on', previous_interaction_id: 'v1_none' };
  const { status, rule } = await ask(emulator, 'google-interactions', body);
  expect([status, rule]).toEqual([404, 'google-interactions.previous-not-found']);
});

test('an interaction is continued more than once, carries its history alone, and expires', async () => {
  let now = Date.UTC(2026, 10, 2);
  const emulator = await start({ now: () => now });
  const send = (body: object) => ask(emulator, 'google-interactions', { model, ...body });
  const { answer } = await send({ input: 'One', system_instruction: 'Be brief.' });
  const previous_interaction_id = answer.id;
  for (const input of ['Two', 'Three']) expect((await send({ input, previous_interaction_id })).status).toBe(200);
  now += 54 * DAY;
  expect((await send({ input: 'Still there?', previous_interaction_id })).status).toBe(200);
  now += 2 * DAY;
  expect((await send({ input: 'And now?', previous_interaction_id })).status).toBe(404);
  emulator.settings = { retention: 1000 };
  const other = await send({ input: 'Hello' });
  now += 2000;
  const response = await fetch(`${emulator.url}/v1beta/interactions/${other.answer.id}`, {
    headers: keys['google-interactions'],
  });
  expect(response.status).toBe(404);
});
