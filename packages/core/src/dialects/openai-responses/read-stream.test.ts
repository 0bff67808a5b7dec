import { describe, expect, it } from 'vitest';
import { toldIn } from '../../../test/properties/told.ts';
import { parseJson } from '../../json/index.ts';
import { view } from './read-response.ts';
import { assemble } from './read-stream.ts';

const origin = { dialect: 'openai-responses', issuer: 'api.openai.com/responses' };

function run(...events: readonly (object | string)[]) {
  const assembler = assemble();
  const told = events.flatMap((event) => [
    ...assembler.push(undefined, typeof event === 'string' ? event : JSON.stringify(event)),
  ]);
  const said = toldIn(told);
  const reply = assembler.finish();
  return { said, reply, raw: reply.choices[0]!.raw, stop: reply.choices[0]!.stop };
}

const created = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', model: 'm', output: [] } };
const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const text = (delta: string, more: object = {}) => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  delta,
  ...more,
});
const message = { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] };
const part = {
  type: 'response.content_part.added',
  output_index: 0,
  content_index: 0,
  part: { type: 'output_text', text: '', annotations: [] },
};
const completed = (output: readonly object[]) => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', model: 'm', output, usage: { input_tokens: 1, output_tokens: 2 } },
});
const rs = (encrypted_content: string) => ({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content });

describe('one source of truth for each item', () => {
  it('takes the ciphertext of the terminal event', () => {
    const { raw, reply } = run(created, added(0, rs('a')), done(0, rs('b')), completed([rs('c')]));
    expect(parseJson(raw)).toEqual([rs('c')]);
    expect(reply.cut).toBe(false);
    expect(reply.usage).toMatchObject({ input: 1, output: 2 });
  });

  it('takes that of output_item.done when the stream is cut', () => {
    const { raw, reply, stop } = run(created, added(0, rs('a')), done(0, rs('b')));
    expect(parseJson(raw)).toEqual([rs('b')]);
    expect(reply.cut).toBe(true);
    expect(stop).toEqual({ reason: 'cut', native: undefined });
    expect(parseJson(reply.envelope)).toEqual({ ...created.response, output: null });
  });

  it('keeps done items that the terminal event leaves out', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' };
    expect(parseJson(run(created, done(0, rs('b')), done(1, call), completed([])).raw)).toEqual([rs('b'), call]);
    expect(parseJson(run(created, done(0, rs('b')), done(1, call), completed([rs('c')])).raw)).toEqual([rs('c'), call]);
  });

  it('keeps the exact text of numbers and escapes in what the terminal event holds', () => {
    const item = '{"type":"new_item","n":1.0,"s":"\\u00e9\\/"}';
    const { raw } = run(`{"type":"response.completed","response":{"status":"completed","output":[ ${item} ]}}`);
    expect(raw).toBe(`[${item}]`);
  });
});

describe('a stream that is cut', () => {
  it('keeps the text so far, escapes as they came', () => {
    const { raw, said } = run(
      created,
      added(0, message),
      part,
      '{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"caf\\u00e9 \\"","obfuscation":"x"}',
      '{"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "\\n!"}',
    );
    expect(raw).toContain('"text":"caf\\u00e9 \\"\\n!"');
    expect(said).toEqual([
      { type: 'text', text: 'café "' },
      { type: 'text', text: '\n!' },
    ]);
    expect(view(raw, origin).content).toEqual([{ type: 'text', text: 'café "\n!' }]);
  });

  it('keeps half a call, calls in parallel apart', () => {
    const call = (index: number) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: `c${index}`,
      name: 'f',
      arguments: '',
      status: 'in_progress',
    });
    const piece = (output_index: number, delta: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index,
      delta,
    });
    const { raw, said } = run(
      created,
      added(0, call(0)),
      added(1, call(1)),
      piece(0, '{"a"'),
      piece(1, '{"b":'),
      piece(0, ':1}'),
      piece(1, '"'),
    );
    expect(view(raw, origin).content).toMatchObject([{ rawParameters: '{"a":1}' }, { rawParameters: '{"b":"' }]);
    expect(said.slice(0, 3)).toEqual([
      { type: 'tool-use', index: 0, id: 'c0', name: 'f' },
      { type: 'tool-use', index: 1, id: 'c1', name: 'f' },
      { type: 'tool-arguments', index: 0, text: '{"a"' },
    ]);
  });

  it('keeps summaries, refusals, sources and log probabilities', () => {
    const { raw } = run(
      created,
      added(0, message),
      part,
      text('x', { logprobs: [{ token: 'x', logprob: -0.5 }] }),
      text('y', { logprobs: [{ token: 'y', logprob: -1 }] }),
      {
        type: 'response.output_text.annotation.added',
        output_index: 0,
        content_index: 0,
        annotation_index: 0,
        annotation: { type: 'url_citation', url: 'u' },
      },
      { type: 'response.refusal.delta', output_index: 0, content_index: 1, delta: 'no' },
      { type: 'response.reasoning_summary_text.delta', output_index: 1, summary_index: 0, delta: 'thought' },
    );
    expect(parseJson(raw)).toEqual([
      {
        ...message,
        content: [
          {
            type: 'output_text',
            text: 'xy',
            annotations: [{ type: 'url_citation', url: 'u' }],
            logprobs: [
              { token: 'x', logprob: -0.5 },
              { token: 'y', logprob: -1 },
            ],
          },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { type: 'reasoning', status: 'in_progress', summary: [{ type: 'summary_text', text: 'thought' }] },
    ]);
  });

  it('keeps what tools of the provider wrote', () => {
    const event = (name: string, more: object) => ({ type: `response.${name}`, output_index: 0, ...more });
    const { raw, reply, said } = run(
      created,
      added(0, { type: 'shell_call', id: 'sh_1', status: 'in_progress' }),
      event('shell_call_command.added', { command_index: 0, command: '' }),
      event('shell_call_command.delta', { command_index: 0, delta: 'l' }),
      event('shell_call_command.delta', { command_index: 0, delta: 's' }),
      event('shell_call_command.delta', { command_index: 1, delta: 'pwd' }),
      event('shell_call_output_content.delta', { command_index: 0, delta: { stdout: 'a.txt' } }),
      event('web_search_call.searching', {}),
    );
    expect(parseJson(raw)).toMatchObject([{ id: 'sh_1', command: ['ls', 'pwd'] }]);
    expect(reply.envelope).toContain('a.txt');
    expect(said).toEqual([]);
  });

  it('is an empty turn when nothing came', () => {
    expect(run()).toMatchObject({ raw: '[]', reply: { cut: true, envelope: '{"output":null}' } });
  });
});

describe('a stream that is not as expected', () => {
  it('keeps unknown events and text that is no JSON, and goes on', () => {
    const { said, reply, raw } = run(
      created,
      { type: 'response.smell.added', n: 1 },
      'no json',
      added(0, message),
      text('hi'),
      '[DONE]',
      '7',
    );
    expect(said.map((event) => event.type)).toEqual(['unknown', 'unknown', 'text', 'unknown']);
    expect(parseJson(reply.envelope)).toMatchObject({
      unread_events: [{ data: { type: 'response.smell.added', n: 1 } }, { data: 'no json' }, { data: 7 }],
    });
    expect(view(raw, origin).content).toEqual([{ type: 'text', text: 'hi' }]);
  });

  it('keeps unknown members of known events, and nothing that is elsewhere', () => {
    const strange = text('b', { heat: 'y', rank: 2 });
    const end = { ...completed([]), copilot_usage: { n: 1 } };
    const { said, reply } = run(created, added(0, message), text('a'), strange, text('c', { obfuscation: 'x' }), end);
    expect(said.map((event) => event.type)).toEqual(['text', 'text', 'text']);
    expect(parseJson(reply.envelope)).toMatchObject({
      unread_events: [
        { data: { type: 'response.output_text.delta', item_id: 'msg_1', heat: 'y', rank: 2 } },
        { data: { type: 'response.completed', copilot_usage: { n: 1 } } },
      ],
    });
    expect(reply.envelope.match(/resp_1/g)).toHaveLength(1);
  });

  it('reports an error and keeps it', () => {
    const error = { type: 'error', code: 'server_error', message: 'overloaded', param: null };
    const { said, stop, reply } = run(created, added(0, message), text('a'), error);
    expect(said.at(-1)).toEqual({ type: 'error', message: 'overloaded', native: JSON.stringify(error) });
    expect(stop.reason).toBe('error');
    expect(reply.cut).toBe(true);
    expect(parseJson(reply.envelope)).toMatchObject({ unread_events: [{ data: error }] });
  });

  it('reports a response that failed', () => {
    const failed = {
      type: 'response.failed',
      response: { status: 'failed', output: [], error: { code: 'x', message: 'broken' } },
    };
    const { said, stop, reply } = run(created, failed);
    expect(said).toMatchObject([{ type: 'error', message: 'broken' }]);
    expect(stop).toEqual({ reason: 'error', native: 'failed' });
    expect(reply.cut).toBe(false);
  });

  it('hands out what came without deltas', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' };
    const said = { ...message, content: [{ type: 'output_text', text: 'hi' }] };
    const events = [
      { type: 'text', text: 'hi' },
      { type: 'tool-use', index: 1, id: 'c', name: 'f' },
      { type: 'tool-arguments', index: 1, text: '{}' },
    ];
    expect(run(created, done(0, said), done(1, call), completed([said, call])).said).toEqual(events);
    expect(run(completed([said, call])).said).toEqual(events);
  });

  it('hands out the text of a custom call as pieces of its arguments', () => {
    const call = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'sh', input: '' };
    const piece = (delta: string) => ({ type: 'response.custom_tool_call_input.delta', output_index: 0, delta });
    const { said } = run(created, added(0, call), piece('a"'), piece('b'), done(0, { ...call, input: 'a"b' }));
    expect(said.map((event) => (event.type === 'tool-arguments' ? event.text : '')).join('')).toBe('{"input":"a\\"b"}');
  });

  it('takes events twice, items that begin twice and deltas for items that never began', () => {
    const { raw } = run(
      created,
      created,
      added(0, message),
      added(0, message),
      part,
      part,
      text('a'),
      text('b', { output_index: 5 }),
    );
    expect(view(raw, origin).content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
  });

  it('survives an event that nests too deep', () => {
    const deep = `{"type":"response.output_item.done","output_index":0,"item":{"type":"x","v":${'['.repeat(2000)}${']'.repeat(2000)}}}`;
    expect(run(created, deep).said).toMatchObject([{ type: 'unknown' }]);
  });
});
