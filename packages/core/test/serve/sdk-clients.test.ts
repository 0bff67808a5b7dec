import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBlocks, serving } from '../../src/dialect.ts';
import { dialect } from '../../src/index.ts';
import { APIS } from '../matrix/apis.ts';
import type { Said } from '../matrix/said.ts';
import { streamOf } from '../matrix/streamed.ts';

/** What the model says: thoughts, text and parallel calls. */
const SAID: Said = {
  thought: 'Both cities, then.',
  text: 'Let me look: 😀 “Zürich”.',
  calls: [
    { id: 'toolu_a1', name: 'weather', args: '{"city":"Zürich"}' },
    { id: 'toolu_b2', name: 'weather', args: '{"city":"Bern"}' },
  ],
};
const CALLS = [
  { name: 'weather', input: { city: 'Zürich' } },
  { name: 'weather', input: { city: 'Bern' } },
];

const REFERENCE = btoa('block 0');
const HEAD = { id: 'resp_1', model: 'm-1', created: 1_700_000_000, reference: () => REFERENCE };

const USAGE = { input: 11, cacheRead: 5, cacheWrite5m: 0, cacheWrite1h: 0, output: 7, reasoning: 3 };

/** The same in the words of each protocol: a reply of the protocol itself keeps them. */
const NATIVE: Readonly<Record<string, string>> = {
  'openai-chat': '{"prompt_tokens":16,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":5}}',
  'openai-responses': '{"input_tokens":16,"output_tokens":10,"output_tokens_details":{"reasoning_tokens":3}}',
  'anthropic-messages': '{"input_tokens":11,"cache_read_input_tokens":5,"output_tokens":10}',
  'google-interactions': '{"total_input_tokens":16,"total_output_tokens":7,"total_thought_tokens":3}',
  'google-generatecontent': '{"promptTokenCount":16,"candidatesTokenCount":7,"thoughtsTokenCount":3}',
};

/** Answers every request with the same reply, in the protocol of its path, read from a provider of another protocol. */
function answer(path: string, upstream: string, isFailing: boolean): string[] {
  const target = path.includes('/chat/completions')
    ? 'openai-chat'
    : path.includes('/responses')
      ? 'openai-responses'
      : path.includes('/messages')
        ? 'anthropic-messages'
        : path.includes('/interactions')
          ? 'google-interactions'
          : 'google-generatecontent';
  const api = APIS.find(({ id }) => id === upstream)!;
  const reader = readBlocks(api.dialect);
  const writer = serving(dialect(target)).writeStream!({ ...HEAD, dialect: upstream });
  const pieces: string[] = [];
  for (const [event, data] of streamOf(api, 'any', SAID, 1)) {
    for (const told of reader.push(event, data)) pieces.push(writer.push(told));
    if (isFailing && pieces.join('').length > 1500)
      return [...pieces, writer.fail({ status: 529, code: 'overloaded', message: 'Too busy' })];
  }
  const { reply, events } = reader.finish();
  for (const told of events) pieces.push(writer.push(told));
  return [...pieces, writer.finish({ ...reply, usage: { ...USAGE, native: NATIVE[target]! } })];
}

let server: Server;
let origin: string;
let upstream = '';
let isFailing = false;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    for await (const _ of request);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of answer(request.url ?? '', upstream, isFailing)) response.write(piece);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

describe.each(APIS.map(({ id }) => id))('a reply of %s, streamed to the SDKs of all vendors', (from) => {
  test('chat completions', async () => {
    [upstream, isFailing] = [from, false];
    const openai = new OpenAI({ apiKey: 'k', baseURL: `${origin}/v1`, maxRetries: 0 });
    const stream = openai.chat.completions.stream({
      model: 'm-1',
      messages: [{ role: 'user', content: 'Hi' }],
      stream_options: { include_usage: true },
    });
    // The SDK itself knows no thoughts.
    let thought = '';
    stream.on('chunk', ({ choices: [choice] }) => {
      thought += (choice?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
    });
    const { choices, usage } = await stream.finalChatCompletion();
    const { message, finish_reason: stop } = choices[0]!;
    expect(message.content).toBe(SAID.text);
    expect(thought).toBe(SAID.thought);
    const calls = message.tool_calls?.map(
      (call) => call.type === 'function' && { name: call.function.name, input: JSON.parse(call.function.arguments) },
    );
    expect(calls).toEqual(CALLS);
    expect(stop).toBe('tool_calls');
    expect(usage).toMatchObject({
      prompt_tokens: 16,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 5 },
    });
  });

  test('Responses', async () => {
    [upstream, isFailing] = [from, false];
    const openai = new OpenAI({ apiKey: 'k', baseURL: `${origin}/v1`, maxRetries: 0 });
    const response = await openai.responses.stream({ model: 'm-1', input: 'Hi' }).finalResponse();
    expect(response.output_text).toBe(SAID.text);
    expect(response.output[0]).toMatchObject({ type: 'reasoning', summary: [{ text: SAID.thought }] });
    const calls = response.output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, input: JSON.parse(item.arguments) }] : [],
    );
    expect(calls).toEqual(CALLS);
    expect(response.usage).toMatchObject({
      input_tokens: 16,
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 3 },
    });
  });

  test('Anthropic messages', async () => {
    [upstream, isFailing] = [from, false];
    const anthropic = new Anthropic({ apiKey: 'k', baseURL: origin, maxRetries: 0 });
    const stream = anthropic.messages.stream({
      model: 'm-1',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const message = await stream.finalMessage();
    expect(message.content[0]).toMatchObject({ type: 'thinking', thinking: SAID.thought });
    expect(message.content[1]).toMatchObject({ type: 'text', text: SAID.text });
    const calls = message.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
    );
    expect(calls).toEqual(CALLS);
    expect(message.stop_reason).toBe('tool_use');
    expect(message.usage).toMatchObject({ input_tokens: 11, cache_read_input_tokens: 5, output_tokens: 10 });
  });

  test('Google generateContent', async () => {
    [upstream, isFailing] = [from, false];
    const google = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: origin } });
    const parts: { text?: string; thought?: boolean; functionCall?: { name?: string; args?: unknown } }[] = [];
    let usage: unknown;
    for await (const chunk of await google.models.generateContentStream({ model: 'm-1', contents: 'Hi' })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      usage = chunk.usageMetadata;
    }
    const texts = (isThought: boolean): string =>
      parts
        .filter(({ thought = false }) => thought === isThought)
        .map(({ text = '' }) => text)
        .join('');
    expect(texts(false)).toBe(SAID.text);
    expect(texts(true)).toBe(SAID.thought);
    const calls = parts.flatMap(({ functionCall: call }) => (call ? [{ name: call.name, input: call.args }] : []));
    expect(calls).toEqual(CALLS);
    expect(usage).toMatchObject({ promptTokenCount: 16, candidatesTokenCount: 7, thoughtsTokenCount: 3 });
  });

  test('Google Interactions', async () => {
    [upstream, isFailing] = [from, false];
    const google = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: origin } });
    const texts = { text: '', thought: '' };
    const calls = new Map<number, { name: string; pieces: string }>();
    let usage: unknown;
    for await (const event of await google.interactions.create({ model: 'm-1', input: 'Hi', stream: true })) {
      if (event.event_type === 'step.start' && event.step.type === 'function_call')
        calls.set(event.index, { name: event.step.name, pieces: '' });
      if (event.event_type === 'interaction.completed') usage = event.interaction.usage;
      if (event.event_type !== 'step.delta') continue;
      const { delta } = event;
      if (delta.type === 'text') texts.text += delta.text;
      if (delta.type === 'thought_summary' && delta.content?.type === 'text') texts.thought += delta.content.text;
      if (delta.type === 'arguments_delta') calls.get(event.index)!.pieces += delta.arguments ?? '';
    }
    expect(texts).toEqual({ text: SAID.text, thought: SAID.thought });
    expect([...calls.values()].map(({ name, pieces }) => ({ name, input: JSON.parse(pieces) }))).toEqual(CALLS);
    expect(usage).toMatchObject({ total_input_tokens: 16, total_output_tokens: 7, total_thought_tokens: 3 });
  });

  test('a failure in the middle of a stream is an error of the SDK', async () => {
    [upstream, isFailing] = [from, true];
    const anthropic = new Anthropic({ apiKey: 'k', baseURL: origin, maxRetries: 0 });
    const stream = anthropic.messages.stream({
      model: 'm-1',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    await expect(stream.finalMessage()).rejects.toThrow('Too busy');
    const openai = new OpenAI({ apiKey: 'k', baseURL: `${origin}/v1`, maxRetries: 0 });
    const chat = openai.chat.completions.stream({ model: 'm-1', messages: [{ role: 'user', content: 'Hi' }] });
    await expect(chat.finalChatCompletion()).rejects.toThrow('Too busy');
  });
});
