import { describe, expect, test } from 'vitest';
import { toldIn } from '../../../test/properties/told.ts';
import { assemble } from './read-stream.ts';

const start =
  '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":1,"service_tier":"standard"}}}';
const end = '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}';
const stop = '{"type":"message_stop"}';
const open = (index: number, block: string) =>
  `{"type":"content_block_start","index":${index},"content_block":${block}}`;
const delta = (index: number, piece: string) => `{"type":"content_block_delta","index":${index},"delta":${piece}}`;
const close = (index: number) => `{"type":"content_block_stop","index":${index}}`;
const text = '{"type":"text","text":""}';
const call = '{"type":"tool_use","id":"toolu_1","name":"f","input":{}}';
const json = (piece: string) => `{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}`;

function read(...datas: string[]) {
  const assembler = assemble();
  const told = datas.flatMap((data) => assembler.push(undefined, data));
  const events = toldIn(told);
  const reply = assembler.finish();
  return { events, ...reply, raw: reply.choices[0]!.raw, stop: reply.choices[0]!.stop };
}
const content = (...blocks: string[]) => `{"role":"assistant","content":[${blocks.join(',')}]}`;

describe('assembly', () => {
  test('pieces join at the level of their escapes', () => {
    const { raw, events, cut } = read(
      start,
      open(0, text),
      delta(0, '{"type":"text_delta","text":"a\\u00e9\\n"}'),
      '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "\\ud83d"}}  ',
      delta(0, '{"type":"text_delta","text":"\\ude00é"}'),
      close(0),
      end,
      stop,
    );
    expect(raw).toBe(content('{"type":"text","text":"a\\u00e9\\n\\ud83d\\ude00é"}'));
    expect(events.map((event) => (event.type === 'text' ? event.text : '?'))).toEqual(['aé\n', '\ud83d', '\ude00é']);
    expect(cut).toBe(false);
  });

  test('arguments are kept as the model spelled them', () => {
    const { raw, events } = read(
      start,
      open(0, call),
      delta(0, json('')),
      delta(0, json('{"n": 1234567890')),
      delta(0, json('1234567890.0}')),
      close(0),
      end,
      stop,
    );
    expect(raw).toBe(content('{"type":"tool_use","id":"toolu_1","name":"f","input":{"n": 12345678901234567890.0}}'));
    expect(events).toEqual([
      { type: 'tool-use', index: 0, id: 'toolu_1', name: 'f' },
      { type: 'tool-arguments', index: 0, text: '{"n": 1234567890' },
      { type: 'tool-arguments', index: 0, text: '1234567890.0}' },
    ]);
  });

  test('a call without arguments keeps its empty object', () => {
    expect(read(start, open(0, call), delta(0, json('')), close(0), end, stop).raw).toBe(content(call));
  });

  test('thinking gets its signature, citations append', () => {
    const { raw } = read(
      start,
      open(0, '{"type":"thinking","thinking":"","signature":""}'),
      delta(0, '{"type":"thinking_delta","thinking":"hm"}'),
      delta(0, '{"type":"signature_delta","signature":"c2ln"}'),
      close(0),
      open(1, '{"citations":[],"type":"text","text":""}'),
      delta(1, '{"type":"citations_delta","citation":{"n":1.0}}'),
      delta(1, '{"type":"text_delta","text":"x"}'),
      delta(1, '{"type":"citations_delta","citation":{"n":2}}'),
      close(1),
      end,
      stop,
    );
    expect(raw).toBe(
      content(
        '{"type":"thinking","thinking":"hm","signature":"c2ln"}',
        '{"citations":[{"n":1.0},{"n":2}],"type":"text","text":"x"}',
      ),
    );
  });

  test('unknown members of a delta join the block, also between plain pieces', () => {
    const { raw } = read(
      start,
      open(0, text),
      delta(0, '{"type":"text_delta","text":"a"}'),
      delta(0, '{"type":"text_delta","text":"b","mood":"ca","rank":1.0}'),
      delta(0, '{"type":"text_delta","text":"c"}'),
      delta(0, '{"type":"mood_delta","mood":"lm","rank":2.0}'),
      close(0),
      end,
      stop,
    );
    expect(raw).toBe(content('{"type":"text","text":"abc","mood":"calm","rank":2.0}'));
  });

  test('a compaction arrives in pieces where null stood', () => {
    const { raw } = read(
      start,
      open(0, '{"type":"compaction","content":null}'),
      delta(0, '{"type":"compaction_delta","content":"so "}'),
      delta(0, '{"type":"compaction_delta","content":"far","encrypted_content":null}'),
      close(0),
      end,
      stop,
    );
    expect(raw).toBe(content('{"type":"compaction","content":"so far","encrypted_content":null}'));
  });

  test('a count of hidden thinking does not enter the block, which would be refused with it', () => {
    const { raw, envelope } = read(
      start,
      open(0, '{"type":"thinking","thinking":"","signature":""}'),
      delta(0, '{"type":"thinking_delta","thinking":"","estimated_tokens":50}'),
      delta(0, '{"type":"signature_delta","signature":"c2ln"}'),
      close(0),
      end,
      stop,
    );
    expect(raw).toBe(content('{"type":"thinking","thinking":"","signature":"c2ln"}'));
    expect(JSON.parse(envelope).unread_events).toHaveLength(1);
  });

  test('calls that come whole with the start of the message are there', () => {
    const whole = '{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1.0}}';
    const { raw, events } = read(start.replace('"content":[]', `"content":[${whole}]`), stop);
    expect(raw).toBe(content(whole));
    expect(events[0]).toEqual({ type: 'tool-use', index: 0, id: 'toolu_1', name: 'f' });
  });
});

describe('envelope', () => {
  test('it has the shape of the unstreamed one, usage replaced one by one', () => {
    const {
      envelope,
      usage,
      model,
      stop: why,
    } = read(
      start,
      '{"type":"message_delta","delta":{"stop_reason":"tool_use","container":{"id":"c"}},"usage":{"output_tokens":9,"input_tokens":null},"context_management":{"applied_edits":[]}}',
      '{"type":"message_stop","amazon-bedrock-invocationMetrics":{"latency":1.0}}',
    );
    expect(envelope).toBe(
      '{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":null,"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":9,"service_tier":"standard"},"container":{"id":"c"},"context_management":{"applied_edits":[]},"amazon-bedrock-invocationMetrics":{"latency":1.0}}',
    );
    expect(usage).toMatchObject({ input: 3, output: 9 });
    expect(model).toBe('claude-x');
    expect(why).toEqual({ reason: 'tool-use', native: 'tool_use' });
  });
});

describe('streams that are not what they should be', () => {
  test('unknown events and text that is not JSON are kept', () => {
    const assembler = assemble();
    assembler.push('message_start', start);
    expect(assembler.push('vertex_event', '{"type":"vertex_event","x":1.0}')).toEqual([
      { type: 'unknown', event: 'vertex_event', data: '{"type":"vertex_event","x":1.0}' },
    ]);
    assembler.push(undefined, '[DONE');
    expect(assembler.push('ping', '{"type": "ping"}')).toEqual([]);
    const { envelope } = assembler.finish();
    expect(envelope).toContain(
      '"unread_events":[{"event":"vertex_event","data":{"type":"vertex_event","x":1.0}},{"data":"[DONE"}]',
    );
  });

  test('an error inside the stream is told and kept', () => {
    const failure = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    const { events, stop: why, cut, envelope } = read(start, failure);
    expect(events).toEqual([{ type: 'error', message: 'Overloaded', native: failure }]);
    expect(why).toEqual({ reason: 'error', native: 'overloaded_error' });
    expect(cut).toBe(true);
    expect(envelope).toContain(failure);
  });

  test('a second message_start changes nothing and is kept', () => {
    const { raw, envelope } = read(
      start,
      open(0, text),
      start.replace('msg_1', 'msg_2'),
      open(0, call),
      close(0),
      end,
      stop,
    );
    expect(raw).toBe(content(text, call));
    expect(JSON.parse(envelope)).toMatchObject({
      id: 'msg_1',
      unread_events: [{ data: { message: { id: 'msg_2' } } }],
    });
  });

  test('text whose block was never announced is still text', () => {
    const { raw, events } = read(start, delta(3, '{"type":"text_delta","text":"x"}'), delta(4, json('{')), close(9));
    expect(raw).toBe(content('{"type":"text","text":"x"}'));
    expect(events.map((event) => event.type)).toEqual(['text', 'unknown', 'unknown']);
  });

  test('nothing at all is an empty message', () => {
    const { raw, cut, stop: why, envelope, usage } = read();
    expect([raw, cut, why.reason, envelope, usage]).toEqual([content(), true, 'cut', '{"content":null}', undefined]);
  });

  test('values that are not what they should be do not throw', () => {
    for (const data of [
      'null',
      '7',
      '{}',
      '{"type":"constructor"}',
      delta(0, '{}'),
      delta(0, '7'),
      open(0, 'null'),
      '{"type":"message_start"}',
      '{"type":"message_delta"}',
      '{"type":"error"}',
      delta(0, '{"type":"__proto__"}'),
      '{"type":"message_start","message":{"content":[1,null]}}',
      `{"type":"x","y":${'['.repeat(600)}${']'.repeat(600)}}`,
    ])
      expect(() => read(start, data, open(0, text), data)).not.toThrow();
  });
});

describe('a stream that was cut', () => {
  test('arguments that never became JSON are kept as a string', () => {
    const { raw, cut, stop: why } = read(start, open(0, call), delta(0, json('{"a": "b')));
    expect(raw).toBe(content('{"type":"tool_use","id":"toolu_1","name":"f","input":"{\\"a\\": \\"b"}'));
    expect([cut, why.reason]).toEqual([true, 'cut']);
  });

  test('a call that had not begun its arguments is not a call without arguments', () => {
    expect(read(start, open(0, call)).raw).toContain('"input":""');
    expect(read(start, open(0, call), close(0)).raw).toContain('"input":{}');
  });

  test('looking early does not disturb what follows', () => {
    const assembler = assemble();
    for (const data of [start, open(0, call), delta(0, json('{"a"'))]) assembler.push(undefined, data);
    assembler.finish();
    for (const data of [delta(0, json(':1}')), close(0), end, stop]) assembler.push(undefined, data);
    expect(assembler.finish().choices[0]!.raw).toContain('"input":{"a":1}');
  });
});
