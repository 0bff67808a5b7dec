import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { anthropicClient, callsTwice, openaiClient, speaks } from './gateway-kit.ts';
import { startWorld } from './kit.ts';

const MODEL = 'anthropic/claude-sonnet-4-5';

test('a Responses client goes on by previous_response_id, in a conversation and by item references, at a provider that keeps nothing', async () => {
  const { server, emulator } = await startWorld();
  const openai = openaiClient(server.url);
  emulator.script('anthropic-messages', [
    { blocks: speaks('A greeting.', 'Hello, I am Claude.') },
    { blocks: speaks('They ask again.', 'Still Claude.') },
    { blocks: speaks('By items.', 'By items.') },
    { blocks: speaks('First.', 'First.') },
    { blocks: speaks('Second.', 'Second.') },
  ]);
  const first = await openai.responses.create({ model: MODEL, input: 'Who are you?' });
  const second = await openai.responses.create({ model: MODEL, input: 'Sure?', previous_response_id: first.id });
  expect(second.output_text).toBe('Still Claude.');
  const sent = () => JSON.parse(emulator.log.at(-1)!.body.toString());
  expect(sent().messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
  const [signature] = /"signature":"[^"]+"/.exec(emulator.log[0]!.served!.body.toString())!;
  expect(emulator.log[1]!.body.toString()).toContain(signature);

  const items = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id! }));
  await openai.responses.create({
    model: MODEL,
    input: [
      { role: 'user', content: 'Who are you?' },
      ...(items as OpenAI.Responses.ResponseInputItem[]),
      { role: 'user', content: 'Sure?' },
    ],
  });
  expect(emulator.log[2]!.body.toString()).toContain(signature);

  const { id: conversation, metadata } = await openai.conversations.create({ metadata: { topic: 'greetings' } });
  expect(metadata).toEqual({ topic: 'greetings' });
  await openai.responses.create({ model: MODEL, input: 'One', conversation });
  await openai.responses.create({ model: MODEL, input: 'Two', conversation, stream: false });
  expect(sent().messages).toHaveLength(3);

  const kept = await openai.responses.retrieve(second.id);
  expect(kept.output).toEqual(second.output);
  await openai.responses.delete(second.id);
  await expect(openai.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
  const missing = openai.responses.create({ model: MODEL, input: 'Hm?', previous_response_id: second.id });
  await expect(missing).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
  expect(emulator.log.flatMap(({ verdict }) => verdict.refusal ?? [])).toEqual([]);
});

test('a streamed response is given out whole by its id', async () => {
  const { server, emulator } = await startWorld();
  const openai = openaiClient(server.url);
  emulator.script('anthropic-messages', { blocks: speaks('Streamed.', 'Streamed.') });
  const streamed = await openai.responses.stream({ model: MODEL, input: 'Hello' }).finalResponse();
  const kept = await openai.responses.retrieve(streamed.id);
  expect(kept.output_text).toBe('Streamed.');
  expect(kept.output.map(({ id }) => id)).toEqual(streamed.output.map(({ id }) => id));
});

test('a conversation that the gateway does not know is refused, because its history would be lost without a word', async () => {
  const { server, emulator } = await startWorld();
  const openai = openaiClient(server.url);
  const unknown = openai.responses.create({ model: MODEL, input: 'Two', conversation: 'conv_of_the_vendor' });
  await expect(unknown).rejects.toMatchObject({ status: 404, code: 'conversation_not_found' });
  const begun = openai.conversations.create({ items: [{ type: 'message', role: 'user', content: 'Hi' }] });
  await expect(begun).rejects.toMatchObject({ status: 400, param: 'items' });
  expect(emulator.log).toHaveLength(0);
});

test('the input of a response is listed, page by page, and a response that is complete cannot be cancelled', async () => {
  const { server, emulator } = await startWorld();
  const openai = openaiClient(server.url);
  emulator.script('anthropic-messages', { blocks: speaks('Hm.', 'Hello.') });
  const { id } = await openai.responses.create({
    model: MODEL,
    input: [
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: [{ type: 'input_text', text: 'Three' }] },
    ],
  });
  const texts: unknown[] = [];
  for await (const item of openai.responses.inputItems.list(id, { limit: 2 })) {
    expect(item).toMatchObject({ id: expect.stringMatching(/^msg_/), type: 'message' });
    texts.push((item as { content: readonly { text: string }[] }).content[0]!.text);
  }
  expect(texts).toEqual(['Three', 'Two', 'One']);
  await expect(openai.responses.cancel(id)).rejects.toMatchObject({ status: 400, message: /synchronous/ });
  await openai.responses.delete(id);
  await expect(openai.responses.cancel(id)).rejects.toMatchObject({ status: 404 });
});

test("the gateway holds Anthropic's threads for another provider, and refuses in the vendor's words", async () => {
  const { server, emulator } = await startWorld();
  const anthropic = anthropicClient(server.url);
  const betas = ['message-threads-2026-08-12' as const];
  emulator.script('openai-responses', [{ blocks: callsTwice('Weather.') }, { blocks: speaks('Warm.', 'It is warm.') }]);
  const base = { model: 'openai/gpt-5.2', max_tokens: 2000, betas };
  const tools = [
    { name: 'weather', input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } } },
  ];
  const first = await anthropic.beta.messages.create({
    ...base,
    system: 'Be brief.',
    tools,
    messages: [{ role: 'user', content: 'How warm is it?' }],
    thread: { type: 'create' },
  });
  const results = first.content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: '22' }] : [],
  );
  const goesOn = {
    ...base,
    messages: [{ role: 'user' as const, content: results }],
    thread: { type: 'continue' as const, previous_message_id: first.id },
  };
  const second = await anthropic.beta.messages.create(goesOn);
  expect(second.content.at(-1)).toMatchObject({ text: 'It is warm.' });
  const body = emulator.log.at(-1)!.body.toString();
  expect(body).toContain('Be brief.');
  expect(body).toContain('"name":"weather"');
  expect(emulator.log.flatMap(({ verdict }) => verdict.refusal ?? [])).toEqual([]);

  const other = anthropic.beta.messages.create({ ...goesOn, model: 'openai/gpt-5.1' });
  await expect(other).rejects.toMatchObject({
    status: 400,
    error: { error: { details: { error_code: 'thread_fingerprint_mismatch' } } },
  });
  const unknown = anthropic.beta.messages.create({
    ...goesOn,
    thread: { type: 'continue', previous_message_id: 'msg_unknown' },
  });
  await expect(unknown).rejects.toMatchObject({
    status: 404,
    error: { error: { details: { error_code: 'thread_not_found' } } },
  });
  const asked = emulator.log.length;
  const unsupported = anthropic.beta.messages.create({
    ...goesOn,
    betas: [...betas, 'context-management-2025-06-27'],
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  });
  await expect(unsupported).rejects.toMatchObject({
    status: 400,
    error: { error: { details: { error_code: 'thread_unsupported_request' } } },
  });
  expect(emulator.log).toHaveLength(asked);
});
