import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import type { Memory } from '../verdict.ts';
import { judgeAnthropicMessages } from './judge.ts';
import { prefixDigest } from './prefix.ts';
import { thinkingMismatches } from './rules-thinking.ts';
import { assistant, hello, NEW, send, text, thinking, toolResult, toolUse, user } from './test-requests.ts';

const tools = [{ name: 'f', input_schema: { type: 'object' } }];
const request: Json = { model: NEW, system: 'be kind', tools, messages: [hello] };
const reply = assistant(thinking('one'), toolUse('a'));
const second = assistant(thinking('two'), text('done'));
const full: Json = { ...request, messages: [hello, reply, user(toolResult('a', { content: 'ok' })), second, hello] };

/** A provider that issued both signatures under this model. */
const remember = (model: string): Memory => ({
  issued: (value) => {
    if (value === 'one') return { model, text: 'hm', prefix: prefixDigest(request, 1, 0) };
    return value === 'two' ? { model, text: 'hm', prefix: prefixDigest(full, 3, 0) } : undefined;
  },
  stored: () => false,
  ownField: () => false,
});
const judge = (body: Json, headers?: Record<string, string>) => {
  const sent = send(body, { memory: remember(NEW), ...(headers && { headers }) });
  return { rule: judgeAnthropicMessages(sent).refusal?.rule, dropped: thinkingMismatches(sent) };
};
const BOUND = 'anthropic-messages.prefix-binding';

describe('prefix of a thinking block', () => {
  it('is the same when it is issued and when the reply is echoed', () => {
    expect(prefixDigest(request, 1, 0)).toBe(prefixDigest({ ...request, messages: [hello, reply, hello] }, 1, 0));
    expect(judge(full).rule).toBeUndefined();
  });

  it('does not see cache_control, split messages, the form of text or the order of keys', () => {
    const cache_control = { type: 'ephemeral' };
    const same: Json = {
      tools: [{ input_schema: { type: 'object' }, cache_control, name: 'f' }],
      system: [text('be kind', { cache_control })],
      messages: [user(text('a', { citations: null })), { role: 'user', content: 'b' }],
    };
    const plain = { tools, system: 'be kind', messages: [user(text('a'), text('b'))] };
    expect(prefixDigest(same, 2, 0)).toBe(prefixDigest(plain, 1, 0));
  });

  it('sees a cache_control that is data', () => {
    const called = (input: Json) => ({ messages: [hello, assistant(toolUse('a', { input }))] });
    expect(prefixDigest(called({ cache_control: null }), 2, 0)).not.toBe(prefixDigest(called({}), 2, 0));
  });

  it('is broken by edited tools, messages and results', () => {
    expect(judge({ ...full, tools: [] }).rule).toBe(BOUND);
    expect(judge({ ...full, messages: [user(text('bye')), reply, user(toolResult('a')), second, hello] }).rule).toBe(
      BOUND,
    );
    expect(judge({ ...full, messages: [hello, reply, user(toolResult('a')), second, hello] }).dropped).toEqual([
      'messages.3.content.0',
    ]);
  });

  it('is broken by an earlier thinking block that was left out or moved', () => {
    const [, , result] = full.messages as Json[];
    const rest = [result ?? hello, second, hello];
    expect(judge({ ...full, messages: [hello, assistant(toolUse('a')), ...rest] }).rule).toBe(BOUND);
    const moved = assistant(toolUse('a'), thinking('one'), text('x'));
    expect(judge({ ...full, messages: [hello, moved, ...rest] }).rule).toBe(BOUND);
  });

  it('is not looked at on older models and Mythos, unless told so', () => {
    const edited = (model: string) => send({ ...full, system: 'be terse', model }, { memory: remember(model) });
    expect(judgeAnthropicMessages(edited('claude-opus-5')).refusal).toBeUndefined();
    expect(judgeAnthropicMessages(edited('claude-mythos-5-2')).refusal).toBeUndefined();
    const settings = { enforcePrefix: true };
    expect(judgeAnthropicMessages({ ...edited('claude-opus-5'), settings }).refusal?.rule).toBe(BOUND);
  });

  it('may mismatch when the request asks to drop such blocks and sends the beta', () => {
    const drop = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const edited = { ...full, system: 'be terse', thinking: drop };
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
    const beta = { ...headers, 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
    expect(judge(edited, beta)).toEqual({ rule: undefined, dropped: ['messages.1.content.0', 'messages.3.content.0'] });
    expect(judge(edited, headers).rule).toBe('anthropic-messages.block-binding-beta');
  });
});
