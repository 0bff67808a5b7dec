import { describe, expect, it } from 'vitest';
import { createMessage, system } from '../../message/index.ts';
import type { FrameParts, Target } from '../write/writer.ts';
import { openaiChatHome } from './provider.ts';
import { view } from './read-response.ts';
import { frame } from './write-request.ts';

const target: Target = { provider: openaiChatHome, model: 'gpt-5', account: undefined, params: {} };
const tool = { name: 'f', description: 'F.', parameters: '{"type":"object","x":1.0}' };
const framed = (parts: Partial<FrameParts>, to = target) =>
  frame(
    {
      system: [],
      tools: [],
      params: {},
      extra: {},
      called: () => [],
      cache: { tools: false, system: false },
      ...parts,
    },
    to,
  );
const body = (parts: Partial<FrameParts>, to = target) => {
  const { head, lead, tail } = framed(parts, to);
  return `${head}${lead.join(',')}${tail}`;
};

describe('the body around the messages', () => {
  it('has a fixed order, and schemas in their exact spelling', () => {
    expect(body({ system: [system('Be kind')], tools: [tool], params: { maxTokens: 5, stream: true } })).toBe(
      '{"model":"gpt-5","tools":[{"type":"function","function":{"name":"f","description":"F.","parameters":{"type":"object","x":1.0}}}],' +
        '"messages":[{"role":"system","content":"Be kind"}],"max_completion_tokens":5,"stream":true,"stream_options":{"include_usage":true}}',
    );
  });

  it('writes every parameter', () => {
    const params = {
      temperature: 0.5,
      topP: 1,
      stop: ['x'],
      seed: 7,
      toolChoice: { name: 'f' },
      parallelToolCalls: false,
      reasoning: { effort: 'low' },
    };
    expect(JSON.parse(body({ tools: [tool], params }))).toMatchObject({
      temperature: 0.5,
      top_p: 1,
      stop: ['x'],
      seed: 7,
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      reasoning_effort: 'low',
    });
    expect(JSON.parse(body({ tools: [tool], params: { toolChoice: 'required' } }))).toMatchObject({
      tool_choice: 'required',
    });
  });

  it('says nothing about tools where there are none', () => {
    const { losses } = framed({ params: { toolChoice: 'auto', parallelToolCalls: true, reasoning: { budget: 9 } } });
    expect(losses.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      'params.parallelToolCalls parameter',
      'params.reasoning.budget parameter',
      'params.toolChoice parameter',
    ]);
    expect(body({ params: { toolChoice: 'auto' } })).toBe('{"model":"gpt-5","messages":[]}');
  });

  it('takes system messages of its own issuer as they are, and writes others', () => {
    const raw = '{"role":"developer","name":"x","content":[{"type":"text","text":"caf\\u00e9"}]}';
    const own = createMessage(raw, { dialect: 'openai-chat', issuer: 'api.openai.com' }, view);
    const other = createMessage(raw, { dialect: 'openai-chat', issuer: 'elsewhere' }, view);
    expect(framed({ system: [own, other] }).lead).toEqual([raw, '{"role":"system","content":"café"}']);
  });

  it('joins several system messages for templates that raise on a second one', () => {
    const strict = { ...openaiChatHome, policies: { ...openaiChatHome.policies, alternateRoles: true } };
    const own = createMessage(
      '{"role":"system","content":"caf\\u00e9"}',
      { dialect: 'openai-chat', issuer: 'api.openai.com' },
      view,
    );
    const { lead, losses } = framed({ system: [system('a'), own] }, { ...target, provider: strict });
    expect(lead).toEqual([String.raw`{"role":"system","content":"a\n\ncaf\u00e9"}`]);
    expect(losses).toEqual([{ kind: 'rewritten', path: 'system', reason: 'merged', detail: 'system' }]);
    expect(framed({ system: [own] }, { ...target, provider: strict })).toMatchObject({ lead: [own.raw], losses: [] });
    expect(framed({ system: [system('a'), own] }).lead).toHaveLength(2);
  });

  it('keeps the system text in front a system message for templates that take none inside the conversation', () => {
    const inlineSystem = { default: 'never' } as const;
    const template = {
      ...openaiChatHome,
      policies: { ...openaiChatHome.policies, inlineSystem, alternateRoles: true },
    };
    const { lead, losses } = framed({ system: [system('a')] }, { ...target, provider: template, model: 'llama3' });
    expect(lead).toEqual(['{"role":"system","content":"a"}']);
    expect(losses).toEqual([]);
  });

  it('leaves out tools in the words of others', () => {
    const native = { dialect: 'openai-chat', native: '{"type":"custom","custom":{"name":"sh"}}' };
    const { head, losses, base } = framed({ tools: [native, { dialect: 'other', native: '{}' }] });
    expect(head).toContain(`"tools":[${native.native}]`);
    expect(losses).toMatchObject([{ kind: 'dropped', reason: 'server-tool' }]);
    expect(base).toBe(`\n${native.native}`);
  });

  it('asks as the provider wants to be asked', () => {
    const quirks = { maxTokensField: { default: 'max_tokens' }, streamUsage: { default: false } };
    const to = { ...target, provider: { ...openaiChatHome, policies: { ...openaiChatHome.policies, quirks } } };
    expect(body({ params: { maxTokens: 5, stream: true } }, to)).toBe(
      '{"model":"gpt-5","messages":[],"max_tokens":5,"stream":true}',
    );
  });
});
