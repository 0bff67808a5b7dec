import { describe, expect, test } from 'vitest';
import type { MessageReply } from '../src/index.ts';
import { ask, type Body, eventsOf, start, streamOf } from './support.ts';

describe('openai-responses', () => {
  const protocol = 'openai-responses';
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
  const request = { model: 'gpt-5.5', tools, include: ['reasoning.encrypted_content'], store: false };
  const user = { role: 'user', content: 'Hello' };
  const reply: MessageReply = {
    blocks: [
      { type: 'thinking', text: 'Hm.' },
      { type: 'tool-use', id: 'call_1', name: 'f', input: {} },
    ],
  };
  const result = { type: 'function_call_output', call_id: 'call_1', output: 'ok' };
  const items = (body: Body) => body.output as unknown as [Record<string, unknown>, Record<string, unknown>];

  test('every ciphertext of a stream is accepted, an altered one is not', async () => {
    const emulator = await start();
    emulator.script(protocol, reply);
    const events = eventsOf(await (await streamOf(emulator, protocol, { ...request, input: [user] })).text());
    const last = events.at(-1)?.response ?? {};
    const [reasoning, call] = items(last);
    const shown = events.flatMap(({ item }) => (`${item?.type}` === 'reasoning' ? [`${item?.encrypted_content}`] : []));
    const ciphertexts = [...shown, `${reasoning.encrypted_content}`];
    expect(new Set(ciphertexts).size).toBe(3);
    const send = (encrypted_content: string) =>
      ask(emulator, protocol, { ...request, input: [user, { ...reasoning, encrypted_content }, call, result] });
    for (const ciphertext of ciphertexts) expect((await send(ciphertext)).rule).toBeUndefined();
    const [first = ''] = ciphertexts;
    const altered = `${first.slice(0, -6)}${first.at(-6) === 'A' ? 'B' : 'A'}${first.slice(-5)}`;
    expect((await send(altered)).rule).toBe(`${protocol}.encrypted-content`);
  });

  test('a request that ends with a trigger is answered by one sealed item, which is accepted in place of the history', async () => {
    const emulator = await start();
    const { answer } = await ask(emulator, protocol, { ...request, input: [user, { type: 'compaction_trigger' }] });
    const [item, ...others] = items(answer);
    expect(item).toMatchObject({ type: 'compaction', encrypted_content: expect.any(String) });
    expect(others).toEqual([]);
    expect((await ask(emulator, protocol, { ...request, input: [item, user] })).rule).toBeUndefined();
    const altered = { ...item, encrypted_content: 'c2VhbA==' };
    expect((await ask(emulator, protocol, { ...request, input: [altered, user] })).rule).toBe(
      `${protocol}.encrypted-content`,
    );
  });

  test('reasoning and the item behind it stay together', async () => {
    const emulator = await start();
    emulator.script(protocol, reply);
    const stored = { model: 'gpt-5.5', tools };
    const [reasoning, call] = items((await ask(emulator, protocol, { ...stored, input: [user] })).answer);
    const rule = async (...input: object[]) => (await ask(emulator, protocol, { ...stored, input })).rule;
    expect(await rule(user, reasoning, call, result)).toBeUndefined();
    expect(await rule(user, call, result)).toBe(`${protocol}.missing-reasoning`);
    expect(await rule(user, reasoning, { ...call, id: undefined }, result)).toBe(`${protocol}.reasoning-following`);
    expect(await rule(user, { ...call, id: undefined }, result)).toBeUndefined();
    expect(await rule(user, { type: 'item_reference', id: call.id }, result)).toBeUndefined();
    expect(await rule(user, { type: 'item_reference', id: 'fc_none' }, result)).toBe(`${protocol}.reference-not-found`);
  });

  test('what is not stored cannot be referred to', async () => {
    const emulator = await start();
    emulator.script(protocol, reply);
    const { answer } = await ask(emulator, protocol, { model: 'gpt-5.5', tools, store: false, input: [user] });
    const [reasoning, call] = items(answer);
    expect(reasoning).not.toHaveProperty('encrypted_content');
    const echoed = await ask(emulator, protocol, { model: 'gpt-5.5', tools, input: [user, reasoning, call, result] });
    expect([echoed.status, echoed.rule]).toEqual([404, `${protocol}.reasoning-not-persisted`]);
    const chained = { model: 'gpt-5.5', input: [result], previous_response_id: answer.id };
    expect((await ask(emulator, protocol, chained)).rule).toBe(`${protocol}.previous-not-found`);
    const found = await fetch(`${emulator.url}/v1/responses/${answer.id}`, { headers: { authorization: 'Bearer k' } });
    expect(found.status).toBe(404);
  });

  test('a chain leaves its calls to be answered', async () => {
    const emulator = await start();
    emulator.script(protocol, reply);
    const { answer } = await ask(emulator, protocol, { model: 'gpt-5.5', tools, input: 'Hello' });
    const next = (input: unknown) =>
      ask(emulator, protocol, { model: 'gpt-5.5', input, previous_response_id: answer.id });
    expect((await next('Well?')).rule).toBe(`${protocol}.call-unanswered`);
    expect((await next([{ ...result, call_id: 'call_2' }, result])).rule).toBe(`${protocol}.output-orphan`);
    const done = await next([result]);
    expect(done.answer.output?.[0]?.content?.[0]?.text).toBe('Tool results: ok');
    const headers = { authorization: 'Bearer k' };
    const list = await fetch(`${emulator.url}/v1/responses/${done.answer.id}/input_items`, { headers });
    expect(await list.json()).toMatchObject({ data: [result] });
    await fetch(`${emulator.url}/v1/responses/${answer.id}`, { method: 'DELETE', headers });
    expect((await next([result])).rule).toBe(`${protocol}.previous-not-found`);
  });

  test('unknown items and fields of its own making are let back in', async () => {
    const emulator = await start();
    const future = { type: 'future_item', id: 'fi_1', depth: { deep: 1 } };
    emulator.script(protocol, {
      blocks: [
        { type: 'native', value: future },
        { type: 'text', text: 'Hi.' },
      ],
      extra: { block: { mood: 'calm' }, part: { tone: 'low' } },
    });
    const input = [user, future, user];
    expect((await ask(emulator, protocol, { ...request, input })).rule).toBe(`${protocol}.item-type`);
    const { answer } = await ask(emulator, protocol, { ...request, input: [user] });
    const echoed = { ...request, input: [user, ...items(answer), user] };
    expect((await ask(emulator, protocol, echoed)).rule).toBeUndefined();
    emulator.settings = { refuseOwnFields: true };
    expect((await ask(emulator, protocol, echoed)).rule).toBe(`${protocol}.item-type`);
  });
});

describe('openai-chat', () => {
  const protocol = 'openai-chat';
  const user = { role: 'user', content: 'Hello' };

  test('fields of its own making come back, those of another provider do not', async () => {
    const emulator = await start({ settings: { refuseUnknownMessageFields: true } });
    const blocks = [
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'Hi.' },
    ] as const;
    emulator.script(protocol, { blocks, extra: { message: { x_note: { a: 1 } } } });
    const { answer } = await ask(emulator, protocol, { model: 'gpt-4o', messages: [user] });
    const message = answer.choices?.[0]?.message;
    expect(message).toMatchObject({ reasoning_content: 'Hm.', content: 'Hi.', x_note: { a: 1 } });
    const next = { model: 'gpt-4o', messages: [user, message, user] };
    expect((await ask(emulator, protocol, next)).rule).toBeUndefined();
    const path = '/other/v1/chat/completions';
    expect((await ask(emulator, protocol, next, { path })).rule).toBe(`${protocol}.unknown-message-param`);
    emulator.settings = { refuseUnknownMessageFields: true, refuseOwnFields: true };
    expect((await ask(emulator, protocol, next)).rule).toBe(`${protocol}.unknown-message-param`);
  });
});
