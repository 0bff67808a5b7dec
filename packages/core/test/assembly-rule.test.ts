import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  anthropicMessages,
  type Dialect,
  googleGenerateContent,
  openaiChat,
  openaiResponses,
  type StreamEvent,
  user,
  writeRequest,
} from '../src/index.ts';

function read(dialect: Dialect, events: readonly string[]) {
  const reader = dialect.readStream();
  const out: StreamEvent[] = [];
  for (const data of events) out.push(...reader.push(/"type":"([a-z_.]+)"/.exec(data)?.[1], data));
  return { ...reader.finish(), out };
}

const chunk = (delta: string, more = '', finish = 'null') =>
  `{"id":"c","model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]${more}}`;
const chat = (...events: string[]) => read(openaiChat, events);
const start =
  '{"type":"message_start","message":{"id":"m","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":5,"output_tokens":1}}}';
const stop = '{"type":"message_stop"}';
const begin = (block: string, index = 0) => `{"type":"content_block_start","index":${index},"content_block":${block}}`;
const delta = (inner: string, index = 0) => `{"type":"content_block_delta","index":${index},"delta":${inner}}`;
const close = (index = 0) => `{"type":"content_block_stop","index":${index}}`;
const claude = (...events: string[]) => read(anthropicMessages, [start, ...events]);
const candidate = (content: string, more = '') =>
  `{"candidates":[{"content":${content}${more},"index":0}],"modelVersion":"m"}`;
const item = (text: string, cipher: string) =>
  `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"${cipher}","x":${text}}`;
const added = (inner: string, index = 0) =>
  `{"type":"response.output_item.added","output_index":${index},"item":${inner}}`;
const done = (inner: string, index = 0) =>
  `{"type":"response.output_item.done","output_index":${index},"item":${inner}}`;
const completed = (items: string) =>
  `{"type":"response.completed","response":{"id":"r","status":"completed","output":[${items}]}}`;

const CLAUSES: Record<string, () => void> = {
  S1: () => {
    expect(chat(chunk('{"content":"a","x":1.0}'), chunk('{}', '', '"stop"')).message.raw).toContain('"x":1.0');
    expect(claude(begin('{"type":"text","text":"","n":2512292042121000001}'), close(), stop).message.raw).toContain(
      '"n":2512292042121000001',
    );
  },
  S2: () => {
    const { message } = chat(chunk('{"content":"\\ud83d"}'), chunk('{"content":"\\ude00\\u00e9"}', '', '"stop"'));
    expect(message.raw).toContain('"content":"\\ud83d\\ude00\\u00e9"');
    expect(message.text).toBe('😀é');
    const twin = claude(
      begin('{"type":"text","text":""}'),
      delta('{"type":"text_delta","text":"\\ud83d"}'),
      delta('{"type":"text_delta","text":"\\ude00"}'),
      close(),
      stop,
    );
    expect(twin.message.text).toBe('😀');
  },
  S3: () => {
    const { message } = chat(
      chunk('{"content":"a","s":"x","o":{"p":"1"},"l":[1],"i":[{"index":0,"t":"a"}],"k":7}'),
      chunk('{"s":"y","o":{"p":"2","q":true},"l":[2],"i":[{"index":0,"t":"b"}],"k":null}', '', '"stop"'),
    );
    expect(JSON.parse(message.raw)).toMatchObject({
      s: 'xy',
      o: { p: '12', q: true },
      l: [1, 2],
      i: [{ index: 0, t: 'ab' }],
      k: 7,
    });
  },
  S4: () => {
    expect(
      chat(chunk('{"role":"assistant","content":null}'), chunk('{"b":1}'), chunk('{"content":"x","a":2}', '', '"stop"'))
        .message.raw,
    ).toBe('{"role":"assistant","content":"x","b":1,"a":2}');
  },
  S5: () => {
    const { message, envelope, out } = claude(
      '{"type":"vertex_event","n":1.0}',
      begin('{"type":"text","text":"hi"}'),
      'not json',
      close(),
      stop,
    );
    expect(message.text).toBe('hi');
    expect(out.filter((event) => event.type === 'unknown')).toHaveLength(2);
    expect(envelope).toContain('"unread_events":[');
    expect(envelope).toContain('{"type":"vertex_event","n":1.0}');
    expect(envelope).toContain('"not json"');
  },
  S6: () => {
    const whole = openaiChat.readResponse(
      '{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}',
    );
    const { envelope } = chat(
      chunk('{"role":"assistant","content":"a"}'),
      chunk('{}', ',"usage":{"prompt_tokens":1}', '"stop"'),
    );
    expect(JSON.parse(envelope)).toEqual(JSON.parse(whole.envelope));
  },
  S7: () => {
    const {
      out,
      stop: stopped,
      envelope,
    } = claude('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
    expect(out).toContainEqual(expect.objectContaining({ type: 'error', message: 'Overloaded' }));
    expect(stopped.reason).toBe('error');
    expect(envelope).toContain('overloaded_error');
  },
  S8: () => {
    for (const { message } of [
      chat(chunk('{"role":"assistant","content":"par"}')),
      claude(begin('{"type":"text","text":"par"}')),
    ]) {
      expect(message.origin.cut).toBe(true);
      expect(message.text).toBe('par');
      expect(() => JSON.parse(message.raw)).not.toThrow();
    }
  },
  S9: () => {
    const thought = claude(begin('{"type":"thinking","thinking":"hm","signature":""}'));
    const call = claude(
      begin('{"type":"tool_use","id":"t","name":"f","input":{}}'),
      delta('{"type":"input_json_delta","partial_json":"{\\"a\\":"}'),
    );
    const chatCall = chat(
      chunk(
        '{"role":"assistant","content":"x","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\\"a"}}]}',
      ),
    );
    expect(thought.message.raw).toContain('hm');
    expect(call.message.raw).toContain('tool_use');
    for (const [dialect, { message }] of [
      [anthropicMessages, thought],
      [anthropicMessages, call],
      [openaiChat, chatCall],
    ] as const) {
      const { body, losses } = writeRequest(dialect, {
        model: 'claude-sonnet-4-5',
        messages: [user('a'), message, user('b')],
      });
      expect(body).not.toMatch(/thinking|tool_use|tool_calls/);
      expect(losses.map((loss) => loss.reason)).toContain('cut');
    }
  },
  A1: () =>
    expect(
      claude(
        begin('{"type":"server_tool_use","id":"s","name":"web_search","input":{ "q" : 1.0 },"x":[]}'),
        close(),
        stop,
      ).message.raw,
    ).toContain('{"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1.0},"x":[]}'),
  A2: () => {
    const { message } = claude(
      begin('{"type":"thinking","thinking":"","signature":""}'),
      delta('{"type":"thinking_delta","thinking":"a"}'),
      delta('{"type":"thinking_delta","thinking":"b"}'),
      delta('{"type":"signature_delta","signature":"sig"}'),
      close(),
      begin('{"type":"text","text":"","citations":[]}', 1),
      delta('{"type":"text_delta","text":"t"}', 1),
      delta('{"type":"citations_delta","citation":{"type":"x","n":1.0}}', 1),
      close(1),
      stop,
    );
    expect(message.raw).toBe(
      '{"role":"assistant","content":[{"type":"thinking","thinking":"ab","signature":"sig"},{"type":"text","text":"t","citations":[{"type":"x","n":1.0}]}]}',
    );
  },
  A3: () => {
    const pieces = ['{\\"n\\": 2512292042121', '000001}'].map((text) =>
      delta(`{"type":"input_json_delta","partial_json":"${text}"}`),
    );
    const call = begin('{"type":"tool_use","id":"t","name":"f","input":{}}');
    expect(claude(call, ...pieces, close(), stop).message.raw).toContain('"input":{"n": 2512292042121000001}');
    expect(claude(call, delta('{"type":"input_json_delta","partial_json":""}'), close(), stop).message.raw).toContain(
      '"input":{}',
    );
  },
  A4: () => {
    const { message } = claude(
      begin('{"type":"tool_use","id":"t","name":"f","input":{}}'),
      delta('{"type":"input_json_delta","partial_json":"{\\"a\\": 1"}'),
    );
    expect(message.raw).toContain('"input":"{\\"a\\": 1"');
    expect(message.toolUses[0]?.rawParameters).toBe('{"a": 1');
  },
  A5: () => {
    const { envelope, usage } = claude(
      begin('{"type":"text","text":"a"}'),
      close(),
      '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}',
      start,
      stop,
    );
    expect(JSON.parse(envelope)).toMatchObject({
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 9 },
    });
    expect(JSON.parse(envelope).unread_events).toHaveLength(1);
    expect(usage).toMatchObject({ input: 5, output: 9 });
  },
  A6: () => {
    const events = [
      begin('{"type":"text","text":"a"}'),
      close(),
      '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
    ];
    expect(claude(...events).message.origin.cut).toBe(true);
    expect(claude(...events, stop).message.origin.cut).toBeUndefined();
  },
  C1: () => {
    const { message, alternatives } = chat(
      '{"choices":[{"index":1,"delta":{"role":"assistant","content":"two"}},{"index":0,"delta":{"role":"assistant","content":"one"}}]}',
      '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"stop"}]}',
    );
    expect([message.text, alternatives[0]?.message.text]).toEqual(['one', 'two']);
  },
  C2: () => {
    const call = (inner: string) => chunk(`{"role":"assistant","tool_calls":[{"index":0,${inner}}]}`);
    const { message } = chat(
      call('"id":"c1","type":"function","function":{"name":"f","arguments":"{"}'),
      call('"id":"c1","type":"function","function":{"name":"","arguments":"}"}'),
      '[DONE]',
    );
    expect(message.toolUses).toEqual([{ type: 'tool-use', id: 'c1', name: 'f', parameters: {}, rawParameters: '{}' }]);
    expect(message.role).toBe('assistant');
  },
  C3: () => {
    const { message } = chat(
      chunk(
        '{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}',
      ),
      chunk('{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{\\"x\\":"}}]}'),
      chunk(
        '{"tool_calls":[{"index":0,"function":{"arguments":"{}"}},{"index":1,"function":{"arguments":"1.0}"}}]}',
        '',
        '"tool_calls"',
      ),
    );
    expect(message.toolUses.map(({ id, rawParameters }) => [id, rawParameters])).toEqual([
      ['a', '{}'],
      ['b', '{"x":1.0}'],
    ]);
    expect(message.raw).not.toContain('"index"');
  },
  C4: () => {
    const { envelope, message } = chat(
      '{"id":"c","fp":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"logprobs":{"content":[{"token":"a"}]},"finish_reason":null}]}',
      '{"id":"c","fp":"2","choices":[{"index":0,"delta":{"content":"b"},"logprobs":{"content":[{"token":"b"}]},"finish_reason":"stop"}]}',
      '{"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}',
    );
    expect(message.text).toBe('ab');
    expect(JSON.parse(envelope)).toMatchObject({
      fp: '2',
      choices: [{ message: null, logprobs: { content: [{ token: 'a' }, { token: 'b' }] } }],
      usage: { prompt_tokens: 3 },
    });
  },
  C5: () => {
    expect(chat(chunk('{"content":"a"}'), '[DONE]').message.origin.cut).toBeUndefined();
    expect(chat(chunk('{"content":"a"}', '', '"stop"')).message.origin.cut).toBeUndefined();
    expect(chat(chunk('{"content":"a"}')).message.origin.cut).toBe(true);
  },
  R1: () =>
    expect(
      read(openaiResponses, [added(item('1', 'A')), done(item('1.0', 'B')), completed(item('1.00', 'C'))]).message.raw,
    ).toBe(`[${item('1.00', 'C')}]`),
  R2: () => {
    expect(read(openaiResponses, [added(item('1', 'A')), done(item('1.0', 'B'))]).message.raw).toBe(
      `[${item('1.0', 'B')}]`,
    );
    const { message } = read(openaiResponses, [
      added('{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[],"x":1.0}'),
      '{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}',
      '{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"par\\u00e9"}',
    ]);
    expect(message.raw).toContain('par\\u00e9');
    expect(message.raw).toContain('"x":1.0');
    expect(message.origin.cut).toBe(true);
  },
  R3: () => {
    const cut = read(openaiResponses, [added(item('1', 'A')), done(item('1', 'B'))]).message.raw;
    const whole = read(openaiResponses, [added(item('1', 'A')), done(item('1', 'B')), completed(item('1', 'C'))])
      .message.raw;
    expect([/"encrypted_content":"(.)"/.exec(cut)?.[1], /"encrypted_content":"(.)"/.exec(whole)?.[1]]).toEqual([
      'B',
      'C',
    ]);
  },
  R4: () =>
    expect(read(openaiResponses, [added(item('1', 'A')), done(item('1', 'B')), completed('')]).message.raw).toBe(
      `[${item('1', 'B')}]`,
    ),
  G1: () => {
    const { message } = read(googleGenerateContent, [
      candidate('{"parts":[{"text":"Hel", "thoughtSignature":"c2ln"}],"role":"model"}'),
      candidate('{"parts":[{"text":"lo"},{"x":1.0}],"role":"model"}', ',"finishReason":"STOP"'),
    ]);
    expect(message.raw).toBe(
      '{"parts":[{"text":"Hel", "thoughtSignature":"c2ln"},{"text":"lo"},{"x":1.0}],"role":"model"}',
    );
    expect(message.text).toBe('Hello');
  },
  G2: () => {
    const { message, envelope } = read(googleGenerateContent, [
      candidate('{"parts":[{"text":"a"}],"role":"model","x":{"a":1}}', ',"avgLogprobs":-1.0'),
      candidate('{"parts":[{"text":"b"}],"role":"model","x":{"b":2.0}}', ',"avgLogprobs":-0.50,"finishReason":"STOP"'),
    ]);
    expect(message.raw).toContain('"x":{"a":1,"b":2.0}');
    const again = candidate('{"parts":[{"text":"a"}],"role":"model","x":{"a":"whole"}}');
    expect(read(googleGenerateContent, [again, again]).message.raw).toContain('"x":{"a":"whole"}');
    expect(envelope).toContain('"avgLogprobs":-0.50');
  },
  G3: () => {
    expect(read(googleGenerateContent, [candidate('{"parts":[{"text":"a"}],"role":"model"}')]).message.origin.cut).toBe(
      true,
    );
    expect(
      read(googleGenerateContent, [candidate('{"parts":[{"text":"a"}],"role":"model"}', ',"finishReason":"STOP"')])
        .message.origin.cut,
    ).toBeUndefined();
    const blocked = read(googleGenerateContent, ['{"promptFeedback":{"blockReason":"SAFETY"}}']);
    expect([blocked.message.origin.cut, blocked.stop.reason]).toEqual([undefined, 'filter']);
  },
};

describe('assembly rule 1', () => {
  it.each(Object.entries(CLAUSES))('%s', (_, holds) => holds());

  it('has a test for each clause of the written rule', () => {
    const written = readFileSync(new URL('../../../docs/streams.md', import.meta.url), 'utf8');
    const clauses = [...written.matchAll(/^- \*\*([A-Z]\d+)\*\*/gm)].map((match) => match[1]);
    expect(Object.keys(CLAUSES)).toEqual(clauses);
  });
});
