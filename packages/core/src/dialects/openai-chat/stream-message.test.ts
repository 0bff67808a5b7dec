import { describe, expect, it } from 'vitest';
import { callChunk as call, chunk, END, replay } from './test-stream.ts';

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

  it('goes on with a text that came as something else in between', () => {
    const { raw } = replay(chunk('{"content":"a"}'), chunk('{"content":7}'), chunk('{"content":"b"}'), END);
    expect(raw).toBe('{"role":"assistant","content":"b"}');
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

  it('does not tell a thought again that comes a second time, taken apart', () => {
    const { raw, events } = replay(
      chunk('{"role":"assistant","reasoning":"hm"}'),
      chunk('{"reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]}'),
      END,
    );
    expect(events).toEqual([{ type: 'reasoning', text: 'hm' }]);
    expect(JSON.parse(raw)).toMatchObject({ reasoning_details: [{ text: 'hm' }] });
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
