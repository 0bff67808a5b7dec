import { says } from '@skein/emulator';
import { expect, test } from 'vitest';
import { startWorld } from './kit.ts';
import { clientsOf, recorded } from './proxy-kit.ts';

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const asksForWeather = { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] } as const;

type Clients = ReturnType<typeof clientsOf>;

/** A program of somebody else: a call of a tool, its result, and an answer as a stream. */
const programs: Record<keyof typeof MODELS, Program> = {
  'openai-chat': async ({ openai }) => {
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: CITY } }] as never;
    const messages: object[] = [{ role: 'user', content: 'How is Oslo?' }];
    const first = await openai.chat.completions.create({ model: 'gpt-5.5', tools, messages: messages as never });
    const { message } = first.choices[0]!;
    messages.push(message, { role: 'tool', tool_call_id: message.tool_calls![0]!.id, content: 'Cold.' });
    const stream = await openai.chat.completions.create({
      model: 'gpt-5.5',
      tools,
      messages: messages as never,
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    return { first, text };
  },
  'openai-responses': async ({ openai }) => {
    const tools = [{ type: 'function', name: 'get_weather', parameters: CITY, strict: false }] as never;
    const input: object[] = [{ role: 'user', content: 'How is Oslo?' }];
    const first = await openai.responses.create({ model: 'gpt-5.5', tools, input: input as never, store: false });
    const call = first.output.find((item) => item.type === 'function_call')!;
    input.push(...first.output, { type: 'function_call_output', call_id: call.call_id, output: 'Cold.' });
    const stream = await openai.responses.create({
      model: 'gpt-5.5',
      tools,
      input: input as never,
      store: false,
      stream: true,
    });
    let text = '';
    for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    return { first, text };
  },
  'anthropic-messages': async ({ anthropic }) => {
    const common = {
      model: 'claude-opus-5-5',
      max_tokens: 1000,
      tools: [{ name: 'get_weather', input_schema: CITY }] as never,
    };
    const messages: object[] = [{ role: 'user', content: 'How is Oslo?' }];
    const first = await anthropic.messages.create({ ...common, messages: messages as never });
    const call = first.content.find((block) => block.type === 'tool_use')!;
    const result = { type: 'tool_result', tool_use_id: call.id, content: 'Cold.' };
    messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [result] });
    const stream = anthropic.messages.stream({ ...common, messages: messages as never });
    return { first, text: await stream.finalText() };
  },
  'google-generatecontent': async ({ google }) => {
    const model = 'gemini-3-pro-preview';
    const config = { tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: CITY }] }] };
    const contents: object[] = [{ role: 'user', parts: [{ text: 'How is Oslo?' }] }];
    const first = await google.models.generateContent({ model, config, contents: contents as never });
    const content = first.candidates![0]!.content!;
    const call = content.parts!.find((part) => part.functionCall)!.functionCall!;
    const answer = { name: call.name, response: { text: 'Cold.' }, ...(call.id && { id: call.id }) };
    contents.push(content, { role: 'user', parts: [{ functionResponse: answer }] });
    const stream = await google.models.generateContentStream({ model, config, contents: contents as never });
    let text = '';
    for await (const chunk of stream) text += chunk.text ?? '';
    return { first: first.candidates, text };
  },
  // The API keeps the history: the second request has the result alone.
  'google-interactions': async ({ google }) => {
    const model = 'gemini-3.6-flash';
    const tools = [{ type: 'function' as const, name: 'get_weather', parameters: CITY }];
    const first = await google.interactions.create({ model, tools, input: 'How is Oslo?' });
    const call = first.steps!.find((step) => step.type === 'function_call')!;
    const stream = await google.interactions.create({
      model,
      tools,
      previous_interaction_id: first.id,
      input: [{ type: 'function_result', call_id: call.id, name: call.name, result: 'Cold.' }],
      stream: true,
    });
    let text = '';
    for await (const event of stream)
      if (event.event_type === 'step.delta' && event.delta.type === 'text') text += event.delta.text;
    return { first: first.steps, text };
  },
};

type Program = (clients: Clients) => Promise<{ readonly first: unknown; readonly text: string }>;

const MODELS = {
  'openai-chat': 'openai-chat/gpt-5.5',
  'openai-responses': 'openai/gpt-5.5',
  'anthropic-messages': 'anthropic/claude-opus-5-5',
  'google-generatecontent': 'google/gemini-3-pro-preview',
  'google-interactions': 'google-interactions/gemini-3.6-flash',
} as const;

for (const name of Object.keys(programs) as (keyof typeof programs)[]) {
  test(`${name}: an SDK works as ever, is one thread of the forest, forks, and runs again offline`, async () => {
    const { api, emulator, forest, server } = await startWorld();
    const program = programs[name];
    emulator.script(name, [asksForWeather, says('It is cold in Oslo.')]);
    const live = await program(clientsOf(server.url, { 'x-skein-tags': 'weather, test' }));
    expect(live.text).toBe('It is cold in Oslo.');
    expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual([undefined, undefined]);

    const exchanges = await recorded(forest, 2);
    expect(exchanges).toMatchObject([
      { outcome: 'done', status: 200, tags: ['weather', 'test'], dialect: name },
      { outcome: 'done', status: 200, landing: { way: 'continues' } },
    ]);
    const { body } = await api('GET', '/threads');
    expect(body.items).toHaveLength(1);
    const path = (await api('GET', `/nodes/${body.items[0].head}/path`)).body.items;
    expect(path.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(path[3].content.at(-1)).toMatchObject({ type: 'text', text: 'It is cold in Oslo.' });

    emulator.script(name, [says('Wear a coat.')]);
    const asked = await api('POST', `/nodes/${path[3].id}/messages`, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What to wear?' }] }],
    });
    const { body: generation } = await api('POST', '/generations', { node: asked.body.id, model: MODELS[name] });
    await expect.poll(async () => (await api('GET', `/generations/${generation.id}`)).body.status).toBe('done');
    expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual([undefined, undefined, undefined]);

    await emulator.close();
    const again = await program(clientsOf(server.url, { 'x-skein-mode': 'replay' }));
    expect(again).toEqual(live);
    const timed = await program(
      clientsOf(server.url, { 'x-skein-mode': 'replay', 'x-skein-replay-timing': 'recorded' }),
    );
    expect(timed.text).toEqual(live.text);
  });
}

test('errors of a provider reach the SDK as its own errors, and a replay gives them again', async () => {
  const { emulator, forest, server } = await startWorld();
  const run = async (headers: Record<string, string>) => {
    const { openai, anthropic, google } = clientsOf(server.url, headers);
    const model = 'does-not-exist';
    const failures = await Promise.allSettled([
      openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] }),
      anthropic.messages.create({ model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
      google.models.generateContent({ model, contents: 'Hi' }),
    ]);
    return failures.map((one) => (one.status === 'rejected' ? [one.reason.status, one.reason.message] : []));
  };
  const live = await run({});
  expect(live.map(([status]) => status)).toEqual([404, 404, 404]);
  expect((await recorded(forest, 3)).map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused']);
  await emulator.close();
  expect(await run({ 'x-skein-mode': 'replay' })).toEqual(live);
});

test('an abort of the client reaches the provider, and what arrived is a cut node', async () => {
  const { api, emulator, forest, server } = await startWorld();
  emulator.script('anthropic-messages', [
    says('Never to be heard in full.', { break: { after: { events: 4 }, how: 'hang' } }),
  ]);
  const stream = clientsOf(server.url).anthropic.messages.stream({
    model: 'claude-opus-5-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  stream.on('text', () => stream.abort());
  await expect(stream.finalText()).rejects.toThrow('aborted');
  // It is set when the one who was waited for has left.
  await expect.poll(() => emulator.log[0]?.served?.ended).toBe('hang');
  const [exchange] = await recorded(forest, 1);
  expect(exchange).toMatchObject({ outcome: 'cut' });
  expect((await api('GET', `/nodes/${exchange!.landing!.node}`)).body.takes[0].cut).toBe(true);
});

test('models, counts and embeddings pass and are not recorded', async () => {
  const { forest, server } = await startWorld();
  const { openai, anthropic, google } = clientsOf(server.url);
  expect((await openai.models.list()).data.length).toBeGreaterThan(0);
  const counted = await anthropic.messages.countTokens({
    model: 'claude-opus-5-5',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(counted.input_tokens).toBeGreaterThan(0);
  const inGoogle = await google.models.countTokens({ model: 'gemini-2.5-flash', contents: 'Hi' });
  expect(inGoogle.totalTokens).toBeGreaterThan(0);
  await recorded(forest, 0);
});
