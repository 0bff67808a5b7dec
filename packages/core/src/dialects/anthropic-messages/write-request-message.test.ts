import { describe, expect, test } from 'vitest';
import {
  assistant,
  blocksMessage,
  type ContentBlock,
  createMessage,
  type Message,
  system,
  toolResult,
  user,
} from '../../message/index.ts';
import type { ProviderDescriptor } from '../provider.ts';
import type { Draft, Target } from '../write/writer.ts';
import { anthropic } from './provider.ts';
import { view } from './read-response.ts';
import { writer } from './write-request.ts';

const { translate, merge, result, userText } = writer;
const target = (model = 'claude-sonnet-4-5', provider: ProviderDescriptor = anthropic): Target => ({
  provider,
  model,
  account: undefined,
  params: {},
});
const write = (message: Message, to = target()) => translate(message, to, { find: () => undefined });
const reasons = (units: readonly Draft[]) =>
  units.flatMap((unit) => unit.losses.map((loss) => `${loss.kind} ${loss.path} ${loss.reason}`));
const part = (text: string) => `{"type":"text","text":${JSON.stringify(text)}}`;

describe('assistant messages', () => {
  test('foreign reasoning is never sent, not even as text', () => {
    const units = write(
      assistant([
        { type: 'reasoning', text: 'secret', redacted: false },
        { type: 'text', text: 'a' },
      ]),
    );
    expect(units[0]!.text).toBe(`{"role":"assistant","content":[${part('a')}]}`);
    expect(reasons(units)).toEqual(['dropped content[0] foreign-reasoning']);
  });

  test('arguments are written as the model wrote them, ids and names as the API takes them', () => {
    const blocks: ContentBlock[] = [
      { type: 'text', text: '  ' },
      {
        type: 'tool-use',
        id: 'functions.f:0',
        name: 'a.b',
        parameters: {},
        rawParameters: '{"n": 12345678901234567890}',
      },
    ];
    const units = write(assistant(blocks));
    expect(units[0]!.text).toMatch(
      /^\{"role":"assistant","content":\[\{"type":"text","text":" {2}"\},\{"type":"tool_use","id":"call_[0-9a-f]{24}","name":"a_b_[0-9a-f]{6}","input":\{"n": 12345678901234567890\}\}\]\}$/,
    );
    expect(reasons(units)).toEqual(['rewritten content[1].id tool-id', 'rewritten content[1].name tool-name']);
    const [answer] = write(toolResult('functions.f:0', '1'));
    expect(answer!.results).toEqual(units[0]!.calls.map((call) => call.id));
  });

  test('malformed arguments become a stand-in', () => {
    const raw = '{"role":"assistant","content":[{"type":"tool-use","id":"a","name":"f","parameters":[1]}]}';
    const units = write(blocksMessage(raw));
    expect(units[0]!.text).toContain('"input":{"_malformed_arguments":"[1]"}');
    expect(reasons(units)).toEqual(['rewritten content[0].parameters malformed-arguments']);
  });

  test('what has no counterpart is left out and named', () => {
    const units = write(
      assistant([
        { type: 'refusal', text: 'no' },
        { type: 'unknown', native: '{"type":"web_search_call"}' },
        { type: 'unknown', native: '{"type":"novel"}' },
        { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: '' } },
        { type: 'text', text: 'x', citations: [{ native: '{}' }] },
      ]),
    );
    expect(units[0]!.text).toBe(`{"role":"assistant","content":[${part('no')},${part('x')}]}`);
    expect(reasons(units)).toEqual([
      'rewritten content[0] refusal',
      'dropped content[1] server-tool',
      'dropped content[2] unknown-block',
      'dropped content[3] unsupported-media',
      'dropped content[4].citations citations',
    ]);
  });

  test('an answer that says nothing is not sent', () => {
    expect(write(assistant(''))).toEqual([]);
    expect(write(assistant('\n'))).toEqual([]);
  });
});

describe('user messages and tool results', () => {
  test('results come first, each on its own, then the rest', () => {
    const units = write(
      user([
        { type: 'text', text: 'look' },
        { type: 'tool-result', toolCallId: 'a', content: [{ type: 'text', text: '1' }], isError: false },
        { type: 'tool-result', toolCallId: 'b', content: [], isError: false },
      ]),
    );
    expect(units.map((unit) => [unit.role, unit.parts])).toEqual([
      ['tool', [`{"type":"tool_result","tool_use_id":"a","content":[${part('1')}]}`]],
      ['tool', ['{"type":"tool_result","tool_use_id":"b"}']],
      ['user', [part('look')]],
    ]);
  });

  test('an empty result has no content, a failed one says that it failed', () => {
    expect(write(toolResult('a', ''))[0]!.parts).toEqual(['{"type":"tool_result","tool_use_id":"a"}']);
    const units = write(toolResult('a', '', { isError: true }));
    expect(units[0]!.parts).toEqual([
      `{"type":"tool_result","tool_use_id":"a","content":[${part('The tool call failed.')}],"is_error":true}`,
    ]);
    expect(reasons(units)).toEqual(['synthesised content[0] empty']);
  });

  test('a result finds its call by the lookup', () => {
    const [unit] = translate(toolResult('skn_fn_0_f', 'x'), target(), { find: () => ({ id: 'toolu_9', name: 'f' }) });
    expect(unit!.results).toEqual(['toolu_9']);
  });

  test('media becomes images and documents', () => {
    const units = write(
      user([
        { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } },
        { type: 'media', mediaType: 'image/*', source: { kind: 'url', url: 'https://a.example/b' } },
        { type: 'media', mediaType: 'application/pdf', source: { kind: 'file', id: 'file_1' }, name: 'p' },
        { type: 'media', mediaType: 'text/plain', source: { kind: 'base64', data: 'w6k=' } },
        { type: 'media', mediaType: 'audio/mp3', source: { kind: 'base64', data: 'AA==' } },
        { type: 'media', mediaType: 'image/svg+xml', source: { kind: 'base64', data: 'AA==' } },
        { type: 'media', mediaType: 'text/plain', source: { kind: 'url', url: 'https://a.example/t' } },
      ]),
    );
    expect(units[0]!.parts).toEqual([
      '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}',
      '{"type":"image","source":{"type":"url","url":"https://a.example/b"}}',
      '{"type":"document","source":{"type":"file","file_id":"file_1"},"title":"p"}',
      '{"type":"document","source":{"type":"text","media_type":"text/plain","data":"é"}}',
    ]);
    expect(reasons(units)).toEqual([4, 5, 6].map((index) => `dropped content[${index}] unsupported-media`));
  });

  test('a file that another provider holds is left out', () => {
    const content = '[{"type":"text","text":"x"},{"type":"image","source":{"type":"file","file_id":"f"}}]';
    const foreign = createMessage(
      `{"role":"user","content":${content}}`,
      { dialect: 'anthropic-messages', issuer: 'elsewhere' },
      view,
    );
    expect(reasons(write(foreign))).toEqual(['dropped content[1] foreign-file']);
  });

  test('media that is not taken inside a result follows it', () => {
    const narrow = {
      ...anthropic,
      policies: { ...anthropic.policies, media: { user: ['image/png'], toolResult: [] } },
    };
    const image: ContentBlock = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } };
    const units = write(toolResult('a', [{ type: 'text', text: 'x' }, image]), target('m', narrow));
    expect(units.map((unit) => unit.role)).toEqual(['tool', 'user']);
    expect(units[1]!.parts![0]).toContain('tool call a');
    expect(reasons(units)).toEqual(['rewritten content[0].content[1] unsupported-media']);
  });

  test('white space alone is nothing to send, half a character is replaced', () => {
    expect(write(user(' \n'))).toEqual([]);
    const units = write(user('a\ud800'));
    expect(units[0]!.parts).toEqual([part('a\ufffd')]);
    expect(reasons(units)).toEqual(['rewritten content[0] surrogate']);
  });

  test('an own message is taken apart in its own words', () => {
    const unknown = '{"type":"search_result", "source":"s","title":"t","content":[]}';
    const results = ['a', 'b'].map(
      (id) => `{"type":"tool_result", "tool_use_id":"${id}","content":[{"type":"tool_reference","tool_name":"f"}]}`,
    );
    const own = createMessage(
      `{"role":"user","content":[${results[0]}, ${unknown},${results[1]}]}`,
      { dialect: 'anthropic-messages', issuer: anthropic.issuer },
      view,
    );
    expect(write(own).map((unit) => [unit.role, unit.results, unit.parts])).toEqual([
      ['tool', ['a'], [results[0]]],
      ['tool', ['b'], [results[1]]],
      ['user', [], [unknown]],
    ]);
  });
});

describe('system messages', () => {
  test('native where the model takes them, user text elsewhere', () => {
    expect(write(system('s'), target('claude-opus-5'))[0]).toMatchObject({
      role: 'system',
      text: `{"role":"system","content":[${part('s')}]}`,
    });
    const units = write(system('s'));
    expect(units[0]).toMatchObject({ role: 'user', parts: [part('s')] });
    expect(reasons(units)).toEqual(['rewritten  inline-system']);
  });
});

describe('gathering', () => {
  test('results first, in one user message; own texts are taken apart', () => {
    const own: Draft = { role: 'user', text: '{"role":"user","content":"plain"}', calls: [], results: [], losses: [] };
    const unit = merge([own, userText('more', target()), result({ id: 'a', name: 'f' }, 'none', target())]);
    expect(unit).toMatchObject({ role: 'user', results: ['a'] });
    expect(unit!.text).toBe(
      `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[${part('none')}]},${part('plain')},${part('more')}]}`,
    );
  });

  test('assistant messages stay apart', () => {
    const [unit] = write(assistant('a'));
    expect(merge([unit!, unit!])).toBeUndefined();
  });
});
