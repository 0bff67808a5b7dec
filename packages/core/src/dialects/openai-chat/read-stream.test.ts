import { describe, expect, it } from 'vitest';
import type { RawReply } from '../dialect.ts';
import type { StreamEvent } from '../stream/events.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { view } from './view.ts';

interface Replayed extends RawReply {
  readonly cut: boolean;
  readonly events: readonly StreamEvent[];
  readonly raw: string;
}

function replay(...events: readonly string[]): Replayed {
  const assembler = assemble();
  const told = events.flatMap((data) => assembler.push(undefined, data));
  const reply = assembler.finish();
  return { ...reply, events: told, raw: reply.choices[0]!.raw };
}

const chunk = (delta: string, more = '"finish_reason":null', top = '') =>
  `{"id":"c1","object":"chat.completion.chunk","created":1.0,"model":"m-1","choices":[{"index":0,"delta":${delta},${more}}]${top}}`;
const END = chunk('{}', '"finish_reason":"stop"');
const call = (fragment: string) => chunk(`{"tool_calls":[${fragment}]}`);

describe('joining', () => {
  it('joins pieces at the level of their escapes', () => {
    const { raw, events } = replay(
      chunk('{"role":"assistant","content":""}'),
      chunk(String.raw`{"content":"a\u00e9"}`),
      chunk(String.raw`{"content":"\n\"b\/"}`),
      chunk(String.raw`{"content":"\ud83d"}`),
      chunk(String.raw`{"content":"\ude00 ü"}`),
      END,
      '[DONE]',
    );
    expect(raw).toBe(String.raw`{"role":"assistant","content":"a\u00e9\n\"b\/\ud83d\ude00 ü"}`);
    expect(events.map((event) => event.type)).toEqual(['text', 'text', 'text', 'text']);
  });

  it('joins unknown string fields, merges unknown objects and replaces unknown numbers', () => {
    const { raw } = replay(
      chunk('{"role":"assistant","content":"a","mood":"gl","score":1.0,"x":{"y":"1","n":null}}'),
      chunk('{"content":"b","mood":"ad","score":2.50,"x":{"y":"2","n":[1]}}'),
      END,
    );
    expect(raw).toBe('{"role":"assistant","content":"ab","mood":"glad","score":2.50,"x":{"y":"12","n":[1]}}');
  });

  it('is not misled by members that follow the delta', () => {
    const { raw, envelope } = replay(
      chunk('{"role":"assistant","content":"a"}'),
      chunk('{"content":"b"}'),
      chunk('{"content":"c"},"surprise":{"content":"x"}'),
      chunk('{"content":"d"}'),
      END,
    );
    expect(raw).toBe('{"role":"assistant","content":"abcd"}');
    expect(JSON.parse(envelope)).toMatchObject({ choices: [{ surprise: { content: 'x' } }] });
  });

  it('takes thoughts under each of their names and tells each once', () => {
    const { raw, events } = replay(
      chunk('{"role":"assistant","content":null,"reasoning_content":"h"}'),
      chunk('{"content":null,"reasoning_content":"m"}'),
      chunk('{"content":"a","reasoning_content":null}'),
      END,
    );
    expect(raw).toBe('{"role":"assistant","content":"a","reasoning_content":"hm"}');
    expect(events).toEqual([
      { type: 'reasoning', text: 'h' },
      { type: 'reasoning', text: 'm' },
      { type: 'text', text: 'a' },
    ]);
  });

  it('keeps a summary and its ciphertext apart though they share an index', () => {
    const { raw, events } = replay(
      chunk(
        '{"role":"assistant","content":"","reasoning":"h","reasoning_details":[{"type":"reasoning.summary","summary":"h","index":0}]}',
      ),
      chunk(
        '{"role":"assistant","content":"","reasoning":"m","reasoning_details":[{"type":"reasoning.summary","summary":"m","index":0}]}',
      ),
      chunk(
        '{"role":"assistant","content":"","reasoning":null,"reasoning_details":[{"type":"reasoning.encrypted","data":"X","id":"rs_1","index":0}]}',
      ),
      chunk(
        '{"role":"assistant","content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"Y","id":"rs_2","index":0}]}',
      ),
      END,
    );
    expect(JSON.parse(raw)).toMatchObject({
      reasoning: 'hm',
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'hm', index: 0 },
        { type: 'reasoning.encrypted', data: 'X' },
        { type: 'reasoning.encrypted', data: 'Y' },
      ],
    });
    expect(events).toEqual([
      { type: 'reasoning', text: 'h' },
      { type: 'reasoning', text: 'm' },
    ]);
  });

  it('joins parts where content comes as a list, as text, and as a list again', () => {
    const thought = (text: string) => `{"type":"thinking","thinking":[{"type":"text","text":"${text}"}]}`;
    const { raw, events } = replay(
      chunk('{"role":"assistant","content":""}'),
      chunk(`{"content":[${thought('h')}]}`),
      chunk(`{"content":[${thought('m')}]}`),
      chunk('{"content":"a"}'),
      chunk('{"content":[{"type":"text","text":"b"},{"type":"reference","ids":[1]}]}'),
      END,
    );
    expect(raw).toBe(
      `{"role":"assistant","content":[${thought('hm')},{"type":"text","text":"ab"},{"type":"reference","ids":[1]}]}`,
    );
    expect(events.map((event) => event.type)).toEqual(['reasoning', 'reasoning', 'text', 'text']);
  });

  it('adds the role when none came', () => {
    expect(replay(chunk('{"content":"a"}'), END).raw).toBe('{"role":"assistant","content":"a"}');
    expect(replay(chunk('{"role":"","content":"a"}'), END).raw).toBe('{"role":"assistant","content":"a"}');
  });

  it('takes a whole message where a delta is expected', () => {
    const whole =
      '{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}';
    const { raw, envelope, cut } = replay(whole);
    expect({ raw, envelope, cut }).toEqual({
      raw: '{"role":"assistant","content":"a"}',
      envelope: '{"id":"c","choices":[{"index":0,"message":null,"finish_reason":"stop"}]}',
      cut: false,
    });
  });
});

describe('calls', () => {
  it('places parallel calls by index and tells them apart', () => {
    const { raw, events } = replay(
      chunk('{"role":"assistant","content":null}'),
      call('{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}'),
      call(String.raw`{"index":0,"function":{"arguments":"{\"n\": 25122"}}`),
      call('{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}'),
      call('{"index":0,"function":{"arguments":"92042121000001}"}}'),
      call('{"index":1,"function":{"arguments":"{}"},"extra_content":{"sig":"x"}}'),
      chunk('{}', '"finish_reason":"tool_calls"'),
    );
    expect(raw).toBe(
      String.raw`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\": 2512292042121000001}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"},"extra_content":{"sig":"x"}}]}`,
    );
    expect(events).toEqual([
      { type: 'tool-use', index: 0, id: 'a', name: 'f' },
      { type: 'tool-arguments', index: 0, text: '{"n": 25122' },
      { type: 'tool-use', index: 1, id: 'b', name: 'g' },
      { type: 'tool-arguments', index: 0, text: '92042121000001}' },
      { type: 'tool-arguments', index: 1, text: '{}' },
    ]);
  });

  const callsOf = (raw: string) =>
    (JSON.parse(raw) as { tool_calls: { id: string; function: object }[] }).tool_calls.map((one) => [
      one.id,
      ...Object.values(one.function),
    ]);

  it('does not double ids and names that are repeated with each fragment', () => {
    const { raw } = replay(
      call('{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}'),
      call('{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"}"}}'),
    );
    expect(callsOf(raw)).toEqual([['a', 'f', '{}']]);
  });

  it('keeps the first id when a server makes up one for each fragment', () => {
    const { raw } = replay(
      call('{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}'),
      call('{"index":0,"id":"z","function":{"arguments":"}"}}'),
    );
    expect(callsOf(raw)).toEqual([['a', 'f', '{}']]);
  });

  it('tells calls apart that all have index 0', () => {
    const { raw } = replay(
      call('{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}'),
      call('{"index":0,"id":"b","function":{"name":"f","arguments":"{"}}'),
      call('{"index":0,"function":{"arguments":"}"}}'),
    );
    expect(callsOf(raw)).toEqual([
      ['a', 'f', '{}'],
      ['b', 'f', '{}'],
    ]);
  });

  it('tells calls apart that have no index, by id or by name', () => {
    const { raw } = replay(
      call('{"id":"a","function":{"name":"f","arguments":"{"}}'),
      call('{"function":{"arguments":"}"}}'),
      call('{"id":"b","function":{"name":"g","arguments":"{}"}}'),
      call('{"function":{"name":"h","arguments":"{}"}}'),
    );
    expect(JSON.parse(raw)).toMatchObject({
      tool_calls: [
        { id: 'a', function: { name: 'f', arguments: '{}' } },
        { id: 'b', function: { name: 'g', arguments: '{}' } },
        { function: { name: 'h', arguments: '{}' } },
      ],
    });
  });

  it('puts the older function call together', () => {
    const { raw, events } = replay(
      chunk('{"role":"assistant","content":null,"function_call":{"name":"f","arguments":""}}'),
      chunk('{"function_call":{"arguments":"{"}}'),
      chunk('{"function_call":{"arguments":"}"}}'),
      chunk('{}', '"finish_reason":"function_call"'),
    );
    expect(raw).toBe('{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}');
    expect(events[0]).toEqual({ type: 'tool-use', index: 0, id: '', name: 'f' });
  });
});

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

  it('reports an error event and keeps what came before it', () => {
    const assembler = assemble();
    assembler.push(undefined, chunk('{"role":"assistant","content":"a"}'));
    const native = '{"message":"Overloaded","code":null}';
    expect(assembler.push('error', `{"error":${native}}`)).toEqual([{ type: 'error', message: 'Overloaded', native }]);
    const { choices, cut, envelope } = assembler.finish();
    expect(choices).toEqual([
      { raw: '{"role":"assistant","content":"a"}', stop: { reason: 'error', native: undefined } },
    ]);
    expect(cut).toBe(true);
    expect(envelope).toContain(`"unread_events":[{"event":"error","data":{"error":${native}}}]`);
    expect(assemble().push('error', 'gone')).toEqual([{ type: 'error', message: 'gone', native: 'gone' }]);
  });

  it('reports an error that comes in a payload or inside a chunk', () => {
    expect(replay('{"error":"busy"}').events).toEqual([{ type: 'error', message: 'busy', native: '"busy"' }]);
    const { events, choices, usage } = replay(
      chunk('{"role":"assistant","content":"a"}'),
      chunk('{"content":""}', '"finish_reason":"length"', ',"error":{"message":"Limit"},"usage":{"prompt_tokens":1}'),
      '[DONE]',
    );
    expect(events.at(-1)).toEqual({ type: 'error', message: 'Limit', native: '{"message":"Limit"}' });
    expect(choices[0]!.stop).toEqual({ reason: 'error', native: 'length' });
    expect(usage?.input).toBe(1);
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
