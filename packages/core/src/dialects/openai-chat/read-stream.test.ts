import { describe, expect, it } from 'vitest';
import { readReply, view } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { callChunk as call, chunk, END, replay } from './test-stream.ts';

describe('envelope', () => {
  it('has the shape of an unstreamed one, with the latest values', () => {
    const { envelope, usage, model } = replay(
      chunk('{"role":"assistant","content":"a"}', '"finish_reason":null', ',"usage":null,"x_groq":{"id":"1"}'),
      END,
      '{"id":"c1","choices":[],"model":"m-2","usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}',
      '[DONE]',
    );
    expect(envelope).toBe(
      '{"id":"c1","object":"chat.completion.chunk","created":1.0,"model":"m-2","choices":[{"index":0,"message":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15},"x_groq":{"id":"1"}}',
    );
    expect(usage).toMatchObject({ input: 10, output: 5 });
    expect(model).toBe('m-2');
  });

  it('appends log probabilities, also equal ones', () => {
    const one = '"logprobs":{"content":[{"token":"a","logprob":-0.10}],"refusal":null},"finish_reason":null';
    const { envelope } = replay(chunk('{"role":"assistant","content":"a"}', one), chunk('{"content":"a"}', one), END);
    const list = '[{"token":"a","logprob":-0.10},{"token":"a","logprob":-0.10}]';
    expect(envelope).toContain(`"logprobs":{"content":${list},"refusal":null}`);
  });

  it('goes back to an earlier value when a later event does', () => {
    const at = (tier: string, text: string) =>
      chunk(`{"content":"${text}"}`, '"finish_reason":null', `,"service_tier":"${tier}"`);
    expect(replay(at('a', '1'), at('a', '2'), at('b', '3'), at('a', '4'), END).envelope).toContain(
      '"service_tier":"a"',
    );
  });

  it('has the latest value though the events between say nothing new, or have no delta', () => {
    const numbered = (n: number) => chunk('{"content":"a"}', '"finish_reason":null', `,"n":${n}`);
    expect(replay(numbered(1), numbered(1), numbered(2)).envelope).toContain('"n":2');
    expect(replay(numbered(1), numbered(1), '{"choices":[],"n":2}', numbered(1)).envelope).toContain('"n":1');
  });

  it('keeps what only an earlier event said of an object', () => {
    const groq = (value: string) => chunk('{"content":"a"}', '"finish_reason":null', `,"x_groq":${value}`);
    const { envelope, usage } = replay(
      groq('{"id":"r","seed":1367355884,"deep":{"a":1.0}}'),
      chunk('{"content":"b"}'),
      groq('{"id":"s","deep":{"b":2},"usage":{"prompt_tokens":3}}'),
    );
    expect(envelope).toContain(
      '"x_groq":{"id":"s","seed":1367355884,"deep":{"a":1.0,"b":2},"usage":{"prompt_tokens":3}}',
    );
    expect(usage?.input).toBe(3);
  });

  it('has the last padding, and is not misled by it', () => {
    const padded = (text: string, padding: string) =>
      chunk(`{"content":"${text}"}`, '"finish_reason":null', `,"obfuscation":"${padding}"`);
    const { envelope, raw } = replay(
      padded('a', 'x'),
      padded('b', 'yy'),
      padded('c', String.raw`z\"`),
      padded('d', 'w","usage":{"prompt_tokens":1},"more":"v'),
      padded('e', 'zz'),
    );
    expect(JSON.parse(raw)).toEqual({ role: 'assistant', content: 'abcde' });
    expect(JSON.parse(envelope)).toMatchObject({ obfuscation: 'zz', usage: { prompt_tokens: 1 }, more: 'v' });
  });

  it('keeps further choices as alternatives and tells only of the first', () => {
    const both = (first: string, second: string) =>
      `{"choices":[{"index":1,"delta":{"content":"${second}"}},{"index":0,"delta":{"content":"${first}"}}]}`;
    const ends =
      '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"length"}]}';
    const { choices, events } = replay(both('a', 'x'), both('b', 'y'), ends);
    expect(choices.map(({ raw, stop }) => [raw, stop.reason])).toEqual([
      ['{"role":"assistant","content":"ab"}', 'end'],
      ['{"role":"assistant","content":"xy"}', 'length'],
    ]);
    expect(events).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
  });
});

describe('streams that go wrong', () => {
  it('survives text that is no chunk, and keeps it', () => {
    const deep = `{"choices":[{"index":0,"delta":{"x":${'['.repeat(600)}${']'.repeat(600)}}}]}`;
    const strange = ['not json', '7', '{"type":"ping"}', '[]', deep];
    const { envelope, events, raw } = replay(chunk('{"role":"assistant","content":"a"}'), ...strange, END);
    expect(events.map((event) => event.type)).toEqual(['text', ...strange.map(() => 'unknown')]);
    expect(JSON.parse(envelope)).toMatchObject({
      unread_events: [{ data: 'not json' }, { data: 7 }, { data: { type: 'ping' } }, { data: [] }, { data: deep }],
    });
    expect(raw).toBe('{"role":"assistant","content":"a"}');
  });

  it('can be finished though an event nests as deep as anything is read', () => {
    const deep = `{"x":${'['.repeat(510)}${']'.repeat(510)}}`;
    expect(replay(deep, chunk('{"content":"a"}', '"finish_reason":"stop"')).envelope).toContain(deep);
  });

  it('reports an error event and keeps what came before it', () => {
    const assembler = assemble();
    assembler.push(undefined, chunk('{"role":"assistant","content":"a"}'));
    const native = '{"error":{"message":"Overloaded","code":null}}';
    expect(assembler.push('error', native)).toEqual([{ type: 'error', message: 'Overloaded', native }]);
    const { choices, cut, envelope } = assembler.finish();
    expect(choices).toEqual([
      { raw: '{"role":"assistant","content":"a"}', stop: { reason: 'error', native: undefined } },
    ]);
    expect(cut).toBe(true);
    expect(envelope).toContain(`"unread_events":[{"event":"error","data":${native}}]`);
    expect(assemble().push('error', 'gone')).toEqual([{ type: 'error', message: 'gone', native: 'gone' }]);
  });

  it('reports an error that comes in a payload or inside a chunk', () => {
    expect(replay('{"error":"busy"}').events).toEqual([{ type: 'error', message: 'busy', native: '{"error":"busy"}' }]);
    const { events, choices, usage } = replay(
      chunk('{"role":"assistant","content":"a"}'),
      chunk('{"content":""}', '"finish_reason":"length"', ',"error":{"message":"Limit"},"usage":{"prompt_tokens":1}'),
      '[DONE]',
    );
    expect(events.at(-1)).toMatchObject({ type: 'error', message: 'Limit' });
    expect(choices[0]!.stop).toEqual({ reason: 'error', native: 'length' });
    expect(usage?.input).toBe(1);
  });

  it('is cut when it ends without any choice', () => {
    const { cut, choices } = replay('{"id":"c","choices":[],"usage":{"prompt_tokens":3}}', '[DONE]');
    expect({ cut, stop: choices[0]!.stop }).toEqual({ cut: true, stop: { reason: 'cut', native: undefined } });
  });

  it('is cut without a finish reason or [DONE], and can be finished at any time', () => {
    const assembler = assemble();
    expect(assembler.finish()).toMatchObject({ cut: true, envelope: '{"choices":[]}', usage: undefined });
    assembler.push(undefined, chunk('{"role":"assistant","content":"a"}'));
    assembler.push(undefined, call(String.raw`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"a"}}`));
    const early = assembler.finish();
    expect(early.choices[0]!.stop.reason).toBe('cut');
    expect(view(early.choices[0]!.raw, { dialect: 'openai-chat', issuer: 'x', cut: true }).needs).toEqual(['cut']);
    assembler.push(undefined, END);
    expect(assembler.finish()).toMatchObject({ cut: false });
    expect(replay(chunk('{"content":"a"}'), '[DONE]')).toMatchObject({
      cut: false,
      choices: [{ stop: { reason: 'end' } }],
    });
  });
});

it('gives the same view as the unstreamed reply', () => {
  const message =
    '{"role":"assistant","content":"Hello","reasoning":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}';
  const whole = readReply(`{"choices":[{"index":0,"message":${message},"finish_reason":"tool_calls"}]}`);
  const streamed = replay(
    chunk('{"role":"assistant","content":null,"reasoning":"h"}'),
    chunk('{"reasoning":"m"}'),
    chunk('{"content":"Hel"}'),
    chunk('{"content":"lo"}'),
    call('{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}'),
    chunk('{}', '"finish_reason":"tool_calls"'),
  );
  const origin = { dialect: 'openai-chat', issuer: 'x' };
  expect(view(streamed.raw, origin)).toEqual(view(whole.choices[0]!.raw, origin));
  expect(streamed.choices[0]!.stop).toEqual(whole.choices[0]!.stop);
});
