import { describe, expect, test } from 'vitest';
import type { Emulator, MessageReply } from '../src/index.ts';
import { ask, type Body, start } from './support.ts';

const protocol = 'anthropic-messages';
const tools = [{ name: 'f', input_schema: { type: 'object' } }];
const user = { role: 'user', content: 'Hello' };
const request = {
  model: 'claude-opus-5-5',
  max_tokens: 2000,
  tools,
  thinking: { type: 'adaptive' },
  system: 'Be kind.',
};
const reply: MessageReply = {
  blocks: [
    { type: 'thinking', text: 'Hm.' },
    { type: 'redacted-thinking' },
    { type: 'tool-use', id: 'toolu_1', name: 'f', input: {} },
  ],
};
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] };

interface Talk {
  readonly content: readonly Record<string, unknown>[];
  /** The next request with this content as the reply that came before. */
  next(
    content: readonly object[],
    more?: object,
    headers?: Record<string, string>,
  ): Promise<{ rule?: string | undefined; answer: Body }>;
}

async function talk(emulator: Emulator, scripted = reply): Promise<Talk> {
  emulator.script(protocol, scripted);
  const { answer } = await ask(emulator, protocol, { ...request, messages: [user] });
  return {
    content: answer.content as unknown as Record<string, unknown>[],
    next: (content, more = {}, headers = {}) => {
      const messages = [user, { role: 'assistant', content }, result];
      return ask(emulator, protocol, { ...request, messages, ...more }, { headers });
    },
  };
}

describe('signed thinking', () => {
  test('is accepted as it was issued', async () => {
    const { content, next } = await talk(await start());
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'tool_use']);
    expect((await next(content)).rule).toBeUndefined();
  });

  test('is refused when its text, its signature or its ciphertext was altered', async () => {
    const { content, next } = await talk(await start());
    const [thinking, redacted, call] = content as [object, object, object];
    expect((await next([{ ...thinking, thinking: 'Hm!' }, redacted, call])).rule).toBe(`${protocol}.signature`);
    expect((await next([{ ...thinking, signature: 'bm8=' }, redacted, call])).rule).toBe(`${protocol}.signature`);
    expect((await next([thinking, { ...redacted, data: 'bm8=' }, call])).rule).toBe(`${protocol}.signature`);
    expect((await next([redacted, thinking, call])).rule).toBe(`${protocol}.thinking-modified`);
    expect((await next([redacted, call])).rule).toBe(`${protocol}.thinking-modified`);
    expect((await next([call])).rule).toBeUndefined();
  });

  test('is bound to system, tools and messages before it', async () => {
    const { content, next } = await talk(await start());
    const bound = `${protocol}.prefix-binding`;
    expect((await next(content, { system: 'Be brief.' })).rule).toBe(bound);
    expect((await next(content, { tools: [{ ...tools[0], description: 'new' }] })).rule).toBe(bound);
    const edited = [{ role: 'user', content: 'Goodbye' }, { role: 'assistant', content }, result];
    expect((await next(content, { messages: edited })).rule).toBe(bound);
  });

  test('is dropped and listed where the request asks for that', async () => {
    const { content, next } = await talk(await start());
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const headers = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
    const { rule, answer } = await next(content, { system: 'Be brief.', thinking }, headers);
    expect(rule).toBeUndefined();
    expect(answer.input_transformations).toMatchObject([
      { type: 'thinking_dropped', path: 'messages.1.content.0' },
      { path: 'messages.1.content.1' },
    ]);
  });

  test('is not bound on older models, unless told so', async () => {
    const emulator = await start();
    const { content, next } = await talk(emulator);
    emulator.settings = { enforcePrefix: false };
    expect((await next(content, { system: 'Be brief.' })).rule).toBeUndefined();
  });

  test('may be shown without its text', async () => {
    const emulator = await start();
    emulator.script(protocol, reply);
    const thinking = { type: 'adaptive', display: 'omitted' };
    const { answer } = await ask(emulator, protocol, { ...request, thinking, messages: [user] });
    expect(answer.content?.[0]).toMatchObject({ type: 'thinking', thinking: '' });
  });

  test('is not recognised by another deployment, nor after a reset, unless registered', async () => {
    const emulator = await start();
    const { content, next } = await talk(emulator);
    const elsewhere = { ...request, messages: [user, { role: 'assistant', content }, result] };
    const path = '/eu/v1/messages';
    expect((await ask(emulator, protocol, elsewhere, { path })).rule).toBe(`${protocol}.signature`);
    emulator.trust(protocol, JSON.stringify(elsewhere), 'eu');
    expect((await ask(emulator, protocol, elsewhere, { path })).rule).toBeUndefined();
    emulator.reset();
    expect(emulator.log).toEqual([]);
    expect((await next(content)).rule).toBe(`${protocol}.signature`);
    const [thinking, redacted] = content as [Record<string, string>, Record<string, string>];
    emulator.register(protocol, [
      { signature: thinking.signature ?? '', text: 'Hm.' },
      { signature: redacted.data ?? '' },
    ]);
    expect((await next(content)).rule).toBeUndefined();
  });

  test('outlives the process when there is a seed', async () => {
    const { content } = await talk(await start({ seed: 'demo' }));
    const { next } = await talk(await start({ seed: 'demo' }));
    expect((await next(content)).rule).toBeUndefined();
    const stranger = await talk(await start());
    expect((await stranger.next(content)).rule).toBe(`${protocol}.signature`);
  });
});

describe('unknown things', () => {
  const scripted: MessageReply = {
    blocks: [
      { type: 'native', value: { type: 'future_block', depth: { deep: 1 } } },
      { type: 'tool-use', id: 'toolu_1', name: 'f', input: {}, extra: { mood: 'calm' } },
    ],
    extra: { message: { x_note: 1 } },
  };

  test('of its own making are let back in', async () => {
    const emulator = await start();
    const foreign = { role: 'assistant', content: [{ type: 'future_block' }, { type: 'text', text: 'x' }] };
    const before = await ask(emulator, protocol, { ...request, messages: [user, foreign, user] });
    expect(before.rule).toBe(`${protocol}.type`);
    const { content, next } = await talk(emulator, scripted);
    expect((await next(content)).rule).toBeUndefined();
    const messages = [user, { role: 'assistant', content, x_note: 1 }, result];
    expect((await next([], { messages })).rule).toBeUndefined();
    const envelope = [user, { role: 'assistant', content, stop_reason: 'tool_use' }, result];
    expect((await next([], { messages: envelope })).rule).toBe(`${protocol}.extra-message`);
  });

  test('that cannot come back do not break what is signed after them', async () => {
    const emulator = await start({ settings: { refuseOwnFields: true } });
    const { content, next } = await talk(emulator, {
      blocks: [
        { type: 'native', value: { type: 'future_block' } },
        { type: 'text', text: 'Well.', extra: { mood: 'calm' } },
        ...reply.blocks,
      ],
    });
    const [, text, ...rest] = content.map(({ mood: _, ...block }) => block) as [object, object, ...object[]];
    expect((await next([text, ...rest])).rule).toBeUndefined();
  });

  test('are refused all the same when told so', async () => {
    const emulator = await start({ settings: { refuseOwnFields: true } });
    const { content, next } = await talk(emulator, scripted);
    expect((await next(content)).rule).toBe(`${protocol}.extra-block`);
    expect((await next(content.map(({ mood: _, ...block }) => block))).rule).toBe(`${protocol}.type`);
  });
});
