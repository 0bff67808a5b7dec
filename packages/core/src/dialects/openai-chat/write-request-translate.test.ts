import { describe, expect, it } from 'vitest';
import {
  assistant,
  type ContentBlock,
  createMessage,
  type Message,
  system,
  toolResult,
  user,
} from '../../message/index.ts';
import type { Policies } from '../provider.ts';
import type { CallLookup, Draft, Target } from '../write/writer.ts';
import { openaiChatHome } from './provider.ts';
import { writer } from './write-request.ts';

const target = (policies: Partial<Policies> = {}, model = 'gpt-5'): Target => ({
  provider: { ...openaiChatHome, policies: { ...openaiChatHome.policies, ...policies } },
  model,
  account: undefined,
  params: {},
});
const noCalls: CallLookup = { find: () => undefined };
const translated = (message: Message, to = target(), calls = noCalls): readonly Draft[] =>
  writer.translate(message, to, calls);
const reasons = (units: readonly Draft[]) =>
  units.flatMap((unit) => unit.losses.map(({ kind, path, reason }) => `${kind} ${path} ${reason}`));
/** A message of another protocol that shows these blocks. */
const foreign = (role: 'user' | 'assistant', content: readonly ContentBlock[], cut = false): Message =>
  createMessage('{}', { dialect: 'other', issuer: 'elsewhere' }, () => ({ role, content, needs: cut ? ['cut'] : [] }));
const png = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'QQ==' } } as const;
const use = (id: string, name: string, rawParameters: string): ContentBlock => ({
  type: 'tool-use',
  id,
  name,
  parameters: {},
  rawParameters,
});

describe('plain messages', () => {
  it('are strings where there is only text', () => {
    expect(translated(user('Hi'))).toEqual([
      { role: 'user', text: '{"role":"user","content":"Hi"}', calls: [], results: [], losses: [] },
    ]);
    expect(translated(system('Be kind'))[0]!.text).toBe('{"role":"system","content":"Be kind"}');
    const developer = target({ quirks: { systemRole: { default: 'developer' } } });
    expect(translated(system('Be kind'), developer)[0]!.text).toBe('{"role":"developer","content":"Be kind"}');
  });

  it('keep texts apart, but for one that was cut by its sources', () => {
    const two: ContentBlock[] = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(translated(user(two))[0]!.text).toBe(String.raw`{"role":"user","content":"a\n\nb"}`);
    expect(translated(assistant(two))[0]!.text).toBe(String.raw`{"role":"assistant","content":"a\n\nb"}`);
    const cited: ContentBlock[] = [two[0]!, { type: 'text', text: 'b', citations: [{ native: '{}' }] }];
    expect(translated(assistant(cited))[0]!.text).toBe('{"role":"assistant","content":"ab"}');
  });

  it('are user text where system messages may not stand inside', () => {
    const units = translated(system('Be kind'), target({ inlineSystem: { default: 'never' } }));
    expect(units[0]).toMatchObject({ role: 'user', text: '{"role":"user","content":"Be kind"}' });
    expect(reasons(units)).toEqual(['rewritten  inline-system']);
  });

  it('are nothing when nothing is in them', () => {
    expect(translated(user(''))).toEqual([]);
    expect(translated(assistant(''))).toEqual([]);
    const units = translated(
      user([
        { type: 'text', text: '' },
        { type: 'text', text: 'a' },
      ]),
    );
    expect(reasons(units)).toEqual(['dropped content[0] empty']);
  });

  it('have no halves of characters', () => {
    const units = translated(user('a\ud800'));
    expect(units[0]!.text).toBe('{"role":"user","content":"a\ufffd"}');
    expect(reasons(units)).toEqual(['rewritten content[0] surrogate']);
  });
});

describe('what a model said elsewhere', () => {
  it('never has its thoughts sent as text', () => {
    const units = translated(
      foreign('assistant', [
        { type: 'reasoning', text: 'secret', redacted: false },
        { type: 'text', text: 'a', citations: [{ native: '{}' }] },
        { type: 'unknown', native: '{"type":"web_search_tool_result"}' },
        { type: 'unknown', native: '{"type":"hologram"}' },
        png,
      ]),
    );
    expect(units[0]!.text).toBe('{"role":"assistant","content":"a"}');
    expect(reasons(units)).toEqual([
      'dropped content[0] foreign-reasoning',
      'dropped content[1].citations citations',
      'dropped content[2] server-tool',
      'dropped content[3] unknown-block',
      'dropped content[4] unsupported-media',
    ]);
  });

  it('has its arguments verbatim, and null content beside bare calls', () => {
    const units = translated(assistant([use('call_1', 'f', '{"n": 2512292042121000001}')]));
    expect(units).toEqual([
      {
        role: 'assistant',
        text: String.raw`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"n\": 2512292042121000001}"}}]}`,
        calls: [{ id: 'call_1', name: 'f' }],
        results: [],
        losses: [],
      },
    ]);
  });

  it('has ids and names that fit, the same for call and result', () => {
    const [call] = translated(assistant([use('functions.lookup:0', 'my tool', '')]));
    const [result] = translated(toolResult('functions.lookup:0', 'ok'));
    expect(call!.calls[0]!.id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(call!.calls[0]!.name).toMatch(/^my_tool_[0-9a-f]{6}$/);
    expect(result!.results).toEqual([call!.calls[0]!.id]);
    expect(call!.text).toContain('"arguments":"{}"');
  });

  it('has no call that was cut, and a stand-in for one that is malformed', () => {
    const blocks = [use('a', 'f', '{}'), use('b', 'f', '{"x')];
    const cut = translated(foreign('assistant', blocks, true));
    expect(cut[0]!.calls).toEqual([{ id: 'a', name: 'f' }]);
    expect(reasons(cut)).toEqual(['dropped content[1] cut']);
    const blank = translated(foreign('assistant', [use('a', 'f', ''), use('b', 'f', '')], true));
    expect(blank[0]!.calls).toEqual([{ id: 'a', name: 'f' }]);
    expect(reasons(translated(foreign('assistant', blocks)))).toEqual([
      'rewritten content[1].parameters malformed-arguments',
    ]);
  });

  it('has its refusal as a refusal', () => {
    const refusal: ContentBlock = { type: 'refusal', text: 'No.' };
    expect(translated(foreign('assistant', [refusal]))[0]!.text).toBe(
      '{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}',
    );
    expect(translated(foreign('assistant', [{ type: 'text', text: 'Well.' }, refusal]))[0]!.text).toBe(
      '{"role":"assistant","content":"Well.","refusal":"No."}',
    );
  });
});

describe('media', () => {
  it('become parts', () => {
    const units = translated(
      user([
        { type: 'text', text: 'See' },
        png,
        { type: 'media', mediaType: 'image/*', source: { kind: 'url', url: 'https://x.test/a' } },
        { type: 'media', mediaType: 'audio/mpeg', source: { kind: 'base64', data: 'QQ==' } },
        { type: 'media', mediaType: 'application/pdf', source: { kind: 'base64', data: 'QQ==' }, name: 'a.pdf' },
        { type: 'media', mediaType: 'application/pdf', source: { kind: 'file', id: 'file-1' } },
      ]),
      target({}, 'gpt-4o-audio-preview'),
    );
    expect(JSON.parse(units[0]!.text)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } },
        { type: 'image_url', image_url: { url: 'https://x.test/a' } },
        { type: 'input_audio', input_audio: { data: 'QQ==', format: 'mp3' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QQ==' } },
        { type: 'file', file: { file_id: 'file-1' } },
      ],
    });
    expect(reasons(units)).toEqual([]);
  });

  it('name the format of a recording as the API does', () => {
    const wav: ContentBlock = { type: 'media', mediaType: 'audio/wav', source: { kind: 'base64', data: 'QQ==' } };
    const [unit] = translated(user([wav]), target({}, 'gpt-4o-audio-preview'));
    expect(unit!.text).toContain('{"data":"QQ==","format":"wav"}');
  });

  it('stand behind the word for a failure in the result of a provider that takes them there', () => {
    const failed = toolResult('a', [{ type: 'text', text: 'See' }, png], { isError: true });
    const [unit] = translated(failed, target({ media: { user: ['image/*'], toolResult: ['image/*'] } }));
    expect(JSON.parse(unit!.text).content).toEqual([
      { type: 'text', text: 'Error:' },
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } },
    ]);
  });

  it('are left out, and said so, where they cannot be taken', () => {
    const units = translated(
      foreign('user', [
        { type: 'text', text: 'See' },
        { type: 'media', mediaType: 'video/mp4', source: { kind: 'base64', data: 'QQ==' } },
        { type: 'media', mediaType: 'application/pdf', source: { kind: 'url', url: 'https://x.test/a.pdf' } },
        { type: 'media', mediaType: 'image/png', source: { kind: 'file', id: 'theirs' } },
        { type: 'media', mediaType: 'audio/wav', source: { kind: 'base64', data: 'QQ==' } },
      ]),
    );
    expect(units[0]!.text).toBe('{"role":"user","content":"See"}');
    expect(reasons(units)).toEqual([
      'dropped content[1] unsupported-media',
      'dropped content[2] unsupported-media',
      'dropped content[3] foreign-file',
      'dropped content[4] unsupported-media',
    ]);
  });
});

describe('tool results', () => {
  it('come before the text of the same message, each on its own', () => {
    const result = (id: string): ContentBlock => ({
      type: 'tool-result',
      toolCallId: id,
      content: [{ type: 'text', text: id }],
      isError: false,
    });
    const units = translated(foreign('user', [{ type: 'text', text: 'And?' }, result('a'), result('b')]));
    expect(units.map((unit) => unit.text)).toEqual([
      '{"role":"tool","tool_call_id":"a","content":"a"}',
      '{"role":"tool","tool_call_id":"b","content":"b"}',
      '{"role":"user","content":"And?"}',
    ]);
    expect(units.map((unit) => unit.results)).toEqual([['a'], ['b'], []]);
  });

  it('answer the call that was found for them', () => {
    const found: CallLookup = { find: () => ({ id: 'call_9', name: 'f' }) };
    expect(translated(toolResult('skn_fn_0_f', 'ok'), target(), found)[0]!.results).toEqual(['call_9']);
  });

  it('put media into a user message that follows', () => {
    const units = translated(toolResult('a', [png]), target(), { find: () => ({ id: 'a', name: 'draw' }) });
    expect(units.map((unit) => unit.role)).toEqual(['tool', 'user']);
    expect(JSON.parse(units[1]!.text)).toMatchObject({
      content: [{ text: 'From the result of tool call a:' }, { type: 'image_url' }],
    });
    expect(reasons(units)).toEqual(['rewritten content[0].content[0] unsupported-media']);
  });

  it('hold media where the target takes them', () => {
    const to = target({ media: { user: ['image/*'], toolResult: ['image/*'] } });
    const units = translated(toolResult('a', [{ type: 'text', text: 'Here' }, png]), to);
    expect(units).toHaveLength(1);
    expect(units[0]!.text).toContain('"content":[{"type":"text","text":"Here"},{"type":"image_url"');
  });

  it('say that they failed where the text does not', () => {
    const failed = (text: string) => translated(toolResult('a', text, { isError: true }))[0]!.text;
    expect(failed('no such city')).toContain('"content":"Error: no such city"');
    expect(failed('Connection failed')).toContain('"content":"Connection failed"');
    expect(failed('')).toContain('"content":"The tool call failed."');
  });
});

it('calls of other models have a stand-in where every call must come with its reasoning', () => {
  const to = target({ quirks: { thoughtCalls: { default: true }, reasoningField: { default: 'reasoning_content' } } });
  const units = translated(foreign('assistant', [use('a', 'look', '{}')]), to);
  expect(units[0]!.text).toContain('],"reasoning_content":"(not available)"}');
  expect(reasons(units)).toEqual(['synthesised  foreign-reasoning']);
  expect(translated(foreign('assistant', [{ type: 'text', text: 'Hi' }]), to)[0]!.losses).toEqual([]);
});
