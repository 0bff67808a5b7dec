import { describe, expect, it } from 'vitest';
import { assistant, type ContentBlock, type Message, system, toolResult, user } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import type { CallLookup, Target } from '../write/writer.ts';
import { openai } from './provider.ts';
import { writer } from './write-request.ts';

const target: Target = { provider: openai, model: 'gpt-5', account: undefined, params: {}, store: undefined };
const nobody: CallLookup = { find: () => undefined };
const write = (message: Message, to: Partial<Target> = {}, calls = nobody) =>
  writer.translate(message, { ...target, ...to }, calls);
const notes = (losses: readonly LossNote[] = []) => losses.map(({ kind, path, reason }) => `${kind} ${path} ${reason}`);
const use = (id: string, name: string, rawParameters: string): ContentBlock => ({
  type: 'tool-use',
  id,
  name,
  parameters: {},
  rawParameters,
});
const image = (source: ContentBlock & { type: 'media' }): ContentBlock => source;
const png = image({ type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AA==' } });

describe('writing messages of others', () => {
  it('keeps text and calls in their order, arguments byte for byte', () => {
    const [unit] = write(
      assistant([
        { type: 'text', text: 'a' },
        use('c1', 'f', '{ "n":2512292042121000001 }'),
        { type: 'text', text: 'b' },
        { type: 'text', text: 'c' },
      ]),
    );
    expect(unit?.text).toBe(
      [
        '{"role":"assistant","content":"a"}',
        '{"type":"function_call","call_id":"c1","name":"f","arguments":"{ \\"n\\":2512292042121000001 }"}',
        '{"role":"assistant","content":[{"type":"output_text","text":"b"},{"type":"output_text","text":"c"}]}',
      ].join(','),
    );
    expect(unit).toMatchObject({ role: 'assistant', calls: [{ id: 'c1', name: 'f' }], losses: [] });
  });

  it('never sends the reasoning of others, not even as text', () => {
    const [unit] = write(
      assistant([
        { type: 'reasoning', text: 'hmm', redacted: false },
        { type: 'text', text: 'a' },
      ]),
    );
    expect(unit?.text).toBe('{"role":"assistant","content":"a"}');
    expect(notes(unit?.losses)).toEqual(['dropped content[0] foreign-reasoning']);
    const [nothing] = write(assistant([{ type: 'reasoning', text: 'hmm', redacted: false }]));
    expect([nothing?.text, ...notes(nothing?.losses)]).toEqual(['', 'dropped content[0] foreign-reasoning']);
  });

  it('gives ids and names that the API takes, the same for call and result', () => {
    const [unit] = write(assistant([use('functions.look:0', 'my.tool', '')]));
    const { id, name } = unit!.calls[0]!;
    expect(id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(name).toMatch(/^my_tool_[0-9a-f]{6}$/);
    expect(unit?.text).toContain('"arguments":"{}"');
    expect(notes(unit?.losses)).toEqual(['rewritten content[0].id tool-id', 'rewritten content[0].name tool-name']);
    const [result] = write(toolResult('functions.look:0', '42'));
    expect(result).toMatchObject({
      role: 'tool',
      results: [id],
      text: `{"type":"function_call_output","call_id":"${id}","output":"42"}`,
    });
  });

  it('stands in for malformed arguments', () => {
    const broken: Message = { ...assistantWith(use('c1', 'f', '{"a')), role: 'assistant' };
    const [unit] = write(broken);
    expect(unit?.text).toContain(JSON.stringify('{"_malformed_arguments":"{\\"a"}'));
    expect(notes(unit?.losses)).toEqual(['rewritten content[0].parameters malformed-arguments']);
  });

  it('answers the call that a result without an id belongs to', () => {
    const [unit] = write(toolResult('skn_fn_0_f', 'x'), {}, { find: () => ({ id: 'c9', name: 'f' }) });
    expect(unit?.results).toEqual(['c9']);
  });

  it('puts results before what else a message says', () => {
    const result: ContentBlock = {
      type: 'tool-result',
      toolCallId: 'c1',
      content: [{ type: 'text', text: '1' }],
      isError: false,
    };
    const units = write(user([{ type: 'text', text: 'and now?' }, result]));
    expect(units.map(({ role }) => role)).toEqual(['tool', 'user']);
    expect(units[1]?.text).toBe('{"role":"user","content":[{"type":"input_text","text":"and now?"}]}');
  });

  it('sends images and documents to users and results alike', () => {
    const pdf = image({
      type: 'media',
      mediaType: 'application/pdf',
      source: { kind: 'base64', data: 'BB==' },
      name: 'a.pdf',
    });
    const url = image({ type: 'media', mediaType: 'image/*', source: { kind: 'url', url: 'https://a.example/i' } });
    expect(write(user([png, pdf, url]))[0]?.text).toBe(
      '{"role":"user","content":[{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA=="},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,BB=="},{"type":"input_image","detail":"auto","image_url":"https://a.example/i"}]}',
    );
    expect(write(toolResult('c1', [{ type: 'text', text: 't' }, png]))[0]?.text).toBe(
      '{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"t"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA=="}]}',
    );
  });

  it('lets media follow the results where outputs do not take it', () => {
    const media = { user: ['image/*'], toolResult: [] };
    const provider = { ...openai, policies: { ...openai.policies, media } };
    const units = write(toolResult('c1', [png]), { provider });
    expect(units.map(({ role }) => role)).toEqual(['tool', 'user']);
    expect(units[0]?.text).toContain('"output":""');
    expect(units[1]?.text).toContain('From the result of tool call c1:');
    expect(notes(units[0]?.losses)).toEqual(['rewritten content[0].content[0] unsupported-media']);
  });

  it('says what it leaves out', () => {
    const sound = image({ type: 'media', mediaType: 'audio/wav', source: { kind: 'base64', data: 'AA==' } });
    const file = image({ type: 'media', mediaType: 'image/png', source: { kind: 'file', id: 'f1' } });
    const foreign: Message = {
      ...assistantWith(file, sound),
      role: 'user',
      origin: { dialect: 'anthropic-messages', issuer: 'api.anthropic.com' },
    };
    const [nothing] = write(foreign);
    expect([nothing?.text, ...notes(nothing?.losses)]).toEqual([
      '',
      'dropped content[0] foreign-file',
      'dropped content[1] unsupported-media',
    ]);
    const cited: ContentBlock = { type: 'text', text: 'a', citations: [{ native: '{}' }] };
    const server: ContentBlock = { type: 'unknown', native: '{"type":"server_tool_use"}' };
    const strange: ContentBlock = { type: 'unknown', native: '{"type":"smell"}' };
    const [unit] = write(assistant([cited, server, strange, { type: 'text', text: '' }, png]));
    expect(notes(unit?.losses)).toEqual([
      'dropped content[0].citations citations',
      'dropped content[1] server-tool',
      'dropped content[2] unknown-block',
      'dropped content[3] empty',
      'dropped content[4] unsupported-media',
    ]);
  });

  it('writes a custom call with its text, whatever that is', () => {
    const custom = (rawParameters: string): ContentBlock => ({
      type: 'tool-use',
      id: 'c1',
      name: 'sh',
      parameters: {},
      rawParameters,
      form: 'custom',
    });
    const input = (rawParameters: string) => write(assistantWith(custom(rawParameters)))[0]?.text;
    expect(input('{"input":"l\\u0073"}')).toContain(
      '"type":"custom_tool_call","call_id":"c1","name":"sh","input":"l\\u0073"',
    );
    expect(input('{"input":7}')).toContain('"input":"7"');
    expect(input('{"a":1}')).toContain('"input":"{\\"a\\":1}"');
  });

  it('keeps a refusal a refusal', () => {
    expect(write(assistant([{ type: 'refusal', text: 'no' }]))[0]?.text).toBe(
      '{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}',
    );
  });

  it('sends a system message inside the conversation as one, or as user text where none is taken', () => {
    expect(write(system('new rules'))[0]).toMatchObject({
      role: 'system',
      text: '{"role":"system","content":[{"type":"input_text","text":"new rules"}]}',
    });
    const provider = { ...openai, policies: { ...openai.policies, inlineSystem: { default: 'never' } as const } };
    const [unit] = write(system('new rules'), { provider });
    expect(unit?.role).toBe('user');
    expect(notes(unit?.losses)).toEqual(['rewritten  inline-system']);
  });

  it('mends half characters', () => {
    const [unit] = write(user('a\ud800b'));
    expect(unit?.text).toContain('a\ufffdb');
    expect(notes(unit?.losses)).toEqual(['rewritten content[0] surrogate']);
  });

  it('sends nothing for an empty message', () => {
    expect(write(user(''))).toEqual([]);
    expect(write(assistant(''))).toEqual([]);
  });

  it('answers a custom call in kind when it is told of one', () => {
    const custom = { id: 'c1', name: 'sh', form: 'custom' } as const;
    expect(writer.result(custom, 'x', target).text).toBe(
      '{"type":"custom_tool_call_output","call_id":"c1","output":"x"}',
    );
    expect(write(toolResult('c1', 'x'), {}, { find: () => custom })[0]?.text).toContain('custom_tool_call_output');
  });
});

function assistantWith(...content: ContentBlock[]): Message {
  const { origin, facts } = assistant('x');
  return { raw: '', origin, role: 'assistant', content, text: '', toolUses: [], toolResults: [], facts };
}
