import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { says } from '@skein/emulator';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { expect, test } from 'vitest';
import { startWorld } from './kit.ts';
import { KEYS, recorded } from './proxy-kit.ts';

const asksForWeather = { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] } as const;
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const tools = {
  get_weather: tool({ inputSchema: jsonSchema<{ city: string }>(CITY), execute: async () => 'Cold.' }),
};

test("Vercel's AI SDK runs its tool loop through the proxy, is one thread, and runs again offline", async () => {
  const { emulator, forest, server } = await startWorld();
  const program = async (headers: Record<string, string>) => {
    const openai = createOpenAI({ baseURL: `${server.url}/proxy/openai/v1`, apiKey: KEYS.openai, headers });
    const { text } = await generateText({
      model: openai.chat('gpt-5.5'),
      tools,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
      prompt: 'How is Oslo?',
    });
    return text;
  };
  emulator.script('openai-chat', [asksForWeather, says('It is cold in Oslo.')]);
  expect(await program({})).toBe('It is cold in Oslo.');
  expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual([undefined, undefined]);
  await recorded(forest, 2);
  const { items } = await forest.threads.list();
  expect(items).toHaveLength(1);
  expect((await forest.path(items[0]!.head)).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  await emulator.close();
  expect(await program({ 'x-skein-mode': 'replay' })).toBe('It is cold in Oslo.');
});

test("Vercel's AI SDK streams through the proxy", async () => {
  const { emulator, forest, server } = await startWorld();
  emulator.script('anthropic-messages', [
    {
      blocks: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'Warm enough.' },
      ],
    },
  ]);
  const anthropic = createAnthropic({ baseURL: `${server.url}/proxy/anthropic/v1`, apiKey: KEYS.anthropic });
  const result = streamText({ model: anthropic('claude-opus-5-5'), maxRetries: 0, prompt: 'How is Rome?' });
  expect(await result.text).toBe('Warm enough.');
  const [exchange] = await recorded(forest, 1);
  const { message } = await forest.node(exchange!.landing!.node!);
  expect(message.content.map(({ type }) => type)).toEqual(['reasoning', 'text']);
});

test('LangChain calls a tool and goes on through the proxy, is one thread, and runs again offline', async () => {
  const { emulator, forest, server } = await startWorld();
  const program = async (headers: Record<string, string>) => {
    const model = new ChatOpenAI({
      model: 'gpt-5.5',
      apiKey: KEYS.openai,
      maxRetries: 0,
      configuration: { baseURL: `${server.url}/proxy/openai/v1`, defaultHeaders: headers },
    }).bindTools([{ type: 'function', function: { name: 'get_weather', parameters: CITY } }]);
    const asked = new HumanMessage('How is Oslo?');
    const call = await model.invoke([asked]);
    const answered = new ToolMessage({ content: 'Cold.', tool_call_id: call.tool_calls![0]!.id! });
    return (await model.invoke([asked, call, answered])).text;
  };
  emulator.script('openai-chat', [asksForWeather, says('It is cold in Oslo.')]);
  expect(await program({})).toBe('It is cold in Oslo.');
  await recorded(forest, 2);
  expect((await forest.threads.list()).items).toHaveLength(1);
  await emulator.close();
  expect(await program({ 'x-skein-mode': 'replay' })).toBe('It is cold in Oslo.');
});
