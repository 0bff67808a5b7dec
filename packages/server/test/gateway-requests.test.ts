import { describe, expect, test } from 'vitest';
import { anthropicClient, openaiClient } from './gateway-kit.ts';
import { startWorld } from './kit.ts';
import { recorded } from './proxy-kit.ts';

const messages = [{ role: 'user' as const, content: 'Count.' }];
const text = (said: string) => ({ blocks: [{ type: 'text' as const, text: said }] });

describe('what the gateway does itself', () => {
  test('several replies are several calls, whole and streamed, and each is recorded', async () => {
    const { server, emulator } = await startWorld();
    const openai = openaiClient(server.url);
    for (const stream of [false, true]) {
      emulator.reset();
      emulator.script('anthropic-messages', [text('one'), text('two'), text('three')]);
      const ask = { model: 'anthropic/claude-sonnet-4-5', messages, n: 3 };
      const { choices } = stream
        ? await openai.chat.completions.stream(ask).finalChatCompletion()
        : await openai.chat.completions.create(ask);
      expect(choices.map(({ message }) => message.content).sort()).toEqual(['one', 'three', 'two']);
      expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(emulator.log).toHaveLength(3);
    }
  });

  test('a reply ends before a stop sequence where the provider has none', async () => {
    const { server, emulator } = await startWorld();
    const openai = openaiClient(server.url);
    for (const stream of [false, true]) {
      emulator.reset();
      emulator.script('openai-responses', [text('one END two')]);
      const ask = { model: 'openai/gpt-5.2', messages, stop: 'END' };
      const { choices } = stream
        ? await openai.chat.completions.stream(ask).finalChatCompletion()
        : await openai.chat.completions.create(ask);
      expect(choices[0]!.message.content).toBe('one ');
      expect(choices[0]!.finish_reason).toBe('stop');
      expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual([undefined]);
    }
  });
});

test('an answer in JSON that a model gives by a call is the text of the reply', async () => {
  const { server, emulator } = await startWorld();
  const openai = openaiClient(server.url);
  for (const stream of [false, true]) {
    emulator.reset();
    emulator.script('anthropic-messages', [
      { blocks: [{ type: 'tool-use', name: 'final_answer', input: { a: 'b' } }] },
    ]);
    const format = { response_format: { type: 'json_object' as const } };
    const ask = { model: 'anthropic/claude-sonnet-4-5', messages, ...format };
    const { choices } = stream
      ? await openai.chat.completions.stream(ask).finalChatCompletion()
      : await openai.chat.completions.create(ask);
    expect(JSON.parse(choices[0]!.message.content!)).toEqual({ a: 'b' });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop' });
    expect(choices[0]!.message.tool_calls ?? []).toEqual([]);
  }
});

test('what a program relies on is refused with the 400 of its own protocol', async () => {
  const { server, emulator } = await startWorld();
  emulator.reset();
  const chat = openaiClient(server.url).chat.completions.create({
    ...{ model: 'anthropic/claude-sonnet-4-5', messages, logprobs: true },
  });
  await expect(chat).rejects.toMatchObject({ status: 400, param: 'logprobs' });
  const anthropic = anthropicClient(server.url).messages.create({
    ...{ model: 'openai/gpt-5.2', max_tokens: 100, messages, inference_geo: 'us' },
  });
  await expect(anthropic).rejects.toMatchObject({
    status: 400,
    error: {
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('inference_geo') },
    },
  });
  expect(emulator.log).toHaveLength(0);
});

test('a tool that only the client’s protocol has is called in its own kind, and its result goes back', async () => {
  const { server, emulator } = await startWorld();
  const openai = openaiClient(server.url);
  const tools = [
    { type: 'local_shell' as const },
    {
      ...{ type: 'custom' as const, name: 'apply_patch', description: 'Applies a patch.' },
      format: { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: /.+/' },
    },
  ];
  for (const stream of [false, true]) {
    emulator.reset();
    emulator.script('anthropic-messages', [
      {
        blocks: [
          { type: 'tool-use', name: 'local_shell', input: { command: ['ls'] } },
          { type: 'tool-use', name: 'apply_patch', input: { input: '*** Begin Patch' } },
        ],
      },
      text('Done.'),
    ]);
    const model = 'anthropic/claude-sonnet-4-5';
    const ask = async (input: unknown[]) => {
      const request = { model, tools, input: input as never };
      return stream ? openai.responses.stream(request).finalResponse() : openai.responses.create(request);
    };
    const user = { role: 'user', content: 'List.' };
    const { output } = await ask([user]);
    expect(output).toMatchObject([
      { type: 'local_shell_call', action: { type: 'exec', command: ['ls'] } },
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch' },
    ]);
    const [shell, patch] = output as { call_id: string }[];
    const last = await ask([
      user,
      ...output,
      { type: 'local_shell_call_output', id: shell!.call_id, output: 'a.txt' },
      { type: 'custom_tool_call_output', call_id: patch!.call_id, output: 'ok' },
    ]);
    expect(last.output_text).toBe('Done.');
    expect(emulator.log.map(({ verdict }) => verdict.refusal?.message)).toEqual([undefined, undefined]);
    const sent = JSON.parse(emulator.log.at(-1)!.body.toString());
    expect(JSON.stringify(sent.messages)).toMatch(/"tool_result".*a\.txt.*"tool_result".*ok/);
  }
});

test('tools that the client sends in another order go out as they did before, so that the prompt cache hits', async () => {
  const { server, emulator } = await startWorld();
  const openai = openaiClient(server.url);
  emulator.script('anthropic-messages', [text('one'), text('two'), text('three')]);
  const tool = (name: string, ...members: string[]) => ({
    type: 'function' as const,
    function: { name, parameters: { type: 'object', properties: Object.fromEntries(members.map((one) => [one, {}])) } },
  });
  const history: { role: 'user' | 'assistant'; content: string }[] = [];
  const ask = async (content: string, tools: ReturnType<typeof tool>[]) => {
    history.push({ role: 'user', content });
    const reply = await openai.chat.completions.create({
      model: 'anthropic/claude-sonnet-4-5',
      messages: history,
      tools,
    });
    history.push({ role: 'assistant', content: reply.choices[0]!.message.content! });
    return JSON.stringify(JSON.parse(emulator.log.at(-1)!.body.toString()).tools);
  };
  const first = await ask('A', [tool('a', 'x', 'y'), tool('b')]);
  expect(await ask('B', [tool('b'), tool('a', 'y', 'x')])).toBe(first);
  expect(await ask('C', [tool('b'), tool('a', 'z')])).not.toBe(first);
});

test('what was merely added, such as cache markers, is no loss in the header or in the metrics', async () => {
  const { server, emulator, forest } = await startWorld();
  emulator.script('anthropic-messages', [text('one')]);
  const { response } = await openaiClient(server.url)
    .chat.completions.create({ model: 'anthropic/claude-sonnet-4-5', messages })
    .withResponse();
  expect(emulator.log[0]!.body.toString()).toContain('"cache_control"');
  expect(response.headers.get('x-skein-losses')).toBeNull();
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).not.toContain('cache-marker');
  const [exchange] = await recorded(forest, 1);
  expect(exchange!.upstream!.losses).toMatchObject([{ kind: 'synthesised', reason: 'cache-marker' }]);
});

test('a strict refusal names the parameter as the client does, and the recording of the request', async () => {
  const { server, forest } = await startWorld();
  const refused = await fetch(`${server.url}/gateway/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-skein-strict': 'true' },
    body: JSON.stringify({ model: 'anthropic/claude-sonnet-4-5', messages, seed: 1 }),
  });
  expect(refused.status).toBe(400);
  const { error } = (await refused.json()) as { error: { message: string } };
  expect(error.message).toMatch(/parameter seed$/);
  const id = refused.headers.get('x-skein-exchange')!;
  await expect.poll(async () => (await forest.store.entry('exchange', id))?.data).toMatchObject({ outcome: 'refused' });
});
