import OpenAI from 'openai';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../src/index.ts';
import { start } from './support.ts';

const client = (emulator: Emulator, issuer?: string) =>
  new OpenAI({ apiKey: 'k', baseURL: emulator.baseUrl('openai-chat', issuer), maxRetries: 0 });
const call = { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } } as const;
const parameters = { type: 'object', properties: { city: { type: 'string' } } };

describe('chat completions', () => {
  const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }];
  const messages = [{ role: 'user' as const, content: 'Weather in Oslo?' }];

  test('a tool loop, whole', async () => {
    const emulator = await start();
    emulator.script('openai-chat', [{ blocks: [call] }, { blocks: [{ type: 'text', text: 'Cold.' }] }]);
    const openai = client(emulator);
    const first = await openai.chat.completions.create({ model: 'gpt-4o', messages, tools });
    const message = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    const answers = (message?.tool_calls ?? []).map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: '-3',
    }));
    const second = await openai.chat.completions.create({
      model: 'gpt-4o',
      messages: [...messages, ...(message ? [message] : []), ...answers],
      tools,
    });
    expect(second.choices[0]?.message.content).toBe('Cold.');
    expect(emulator.log.map(({ verdict }) => verdict)).toEqual([
      { refusal: undefined, warnings: [] },
      { refusal: undefined, warnings: [] },
    ]);
  });

  test('the same, streamed', async () => {
    const emulator = await start();
    emulator.script('openai-chat', { blocks: [{ type: 'text', text: 'Let me look at that.' }, call], pieces: 4 });
    const stream = client(emulator).chat.completions.stream({
      model: 'gpt-4o',
      messages,
      tools,
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe('Let me look at that.');
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"city":"Oslo"}' } });
    expect(final.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test('errors arrive as the SDK knows them', async () => {
    const emulator = await start({ key: 'right' });
    await expect(client(emulator).models.list()).rejects.toThrow(OpenAI.AuthenticationError);
    const openai = new OpenAI({ apiKey: 'right', baseURL: emulator.baseUrl('openai-chat'), maxRetries: 0 });
    const missing = openai.chat.completions.create({ model: 'gpt-does-not-exist', messages });
    await expect(missing).rejects.toThrow(OpenAI.NotFoundError);
    emulator.script('openai-chat', { error: { status: 429 }, retryAfter: { seconds: 2 } });
    await expect(openai.chat.completions.create({ model: 'gpt-4o', messages })).rejects.toThrow(OpenAI.RateLimitError);
    expect((await openai.models.list()).data.map(({ id }) => id)).toContain('gpt-4o');
  });

  test('the SDK retries when it is told to', async () => {
    const emulator = await start();
    emulator.script('openai-chat', { error: { status: 503 }, retryAfter: { ms: 1 } });
    const openai = new OpenAI({ apiKey: 'k', baseURL: emulator.baseUrl('openai-chat'), maxRetries: 1 });
    const { choices } = await openai.chat.completions.create({ model: 'gpt-4o', messages });
    expect(choices[0]?.message.content).toBe('Echo: Weather in Oslo?');
    expect(emulator.log.map(({ served }) => served?.status)).toEqual([503, 200]);
  });
});

describe('responses', () => {
  const tools = [{ type: 'function' as const, name: 'get_weather', parameters, strict: false }];
  const thinks = { type: 'thinking', text: 'The user wants the weather.' } as const;
  const ask = { model: 'gpt-5.5', tools, include: ['reasoning.encrypted_content' as const], store: false };

  test('a stateless tool loop with encrypted reasoning', async () => {
    const emulator = await start();
    emulator.script('openai-responses', { blocks: [thinks, call] });
    const openai = client(emulator);
    const first = await openai.responses.create({ ...ask, input: 'Weather in Oslo?' });
    const [reasoning, used] = first.output;
    expect([reasoning?.type, used?.type]).toEqual(['reasoning', 'function_call']);
    const output = {
      type: 'function_call_output' as const,
      call_id: 'call_id' in used! ? `${used.call_id}` : '',
      output: '-3',
    };
    const user = { role: 'user' as const, content: 'Weather in Oslo?' };
    const second = await openai.responses.create({ ...ask, input: [user, ...first.output, output] as ResponseInput });
    expect(second.output_text).toBe('Tool results: -3');
    expect(emulator.log.at(-1)?.verdict).toEqual({ refusal: undefined, warnings: [] });
  });

  test('a stream, and what it stored', async () => {
    const emulator = await start();
    emulator.script('openai-responses', {
      blocks: [thinks, { type: 'text', text: 'It is cold in Oslo today.' }],
      pieces: 5,
    });
    const openai = client(emulator);
    const stream = openai.responses.stream({ model: 'gpt-5.5', input: 'Weather?' });
    const texts: string[] = [];
    for await (const event of stream) if (event.type === 'response.output_text.delta') texts.push(event.delta);
    const final = await stream.finalResponse();
    expect(texts.join('')).toBe('It is cold in Oslo today.');
    expect(final.output_text).toBe('It is cold in Oslo today.');
    expect((await openai.responses.retrieve(final.id)).output_text).toBe('It is cold in Oslo today.');
    const next = await openai.responses.create({
      model: 'gpt-5.5',
      input: 'And tomorrow?',
      previous_response_id: final.id,
    });
    expect(next.output_text).toBe('Echo: And tomorrow?');
  });

  test('a conversation is continued by its id', async () => {
    const emulator = await start();
    const openai = client(emulator);
    const conversation = await openai.conversations.create({});
    emulator.script('openai-responses', { blocks: [call] });
    await openai.responses.create({ model: 'gpt-5.5', input: 'Weather?', conversation: conversation.id, tools });
    const open = openai.responses.create({ model: 'gpt-5.5', input: 'Well?', conversation: conversation.id, tools });
    await expect(open).rejects.toThrow('No tool output found for function call');
  });
});
