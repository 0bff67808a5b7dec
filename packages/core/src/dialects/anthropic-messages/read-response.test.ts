import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../reply.ts';
import { readReply } from './read-response.ts';

const body = `{
  "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
  "content": [ {"type":"text", "text":"h\\u0069", "novel": 1.0} ],
  "stop_reason": "end_turn", "stop_sequence": null,
  "usage": {"input_tokens": 3, "output_tokens": 10, "service_tier": "standard"}
}`;

test('the message is the exact text of role and content, the envelope is the rest', () => {
  const reply = readReply(body);
  expect(reply.choices[0]!.raw).toBe(
    '{"role":"assistant","content":[ {"type":"text", "text":"h\\u0069", "novel": 1.0} ]}',
  );
  expect(reply.envelope).toBe(body.replace(/\[.*\]/, 'null'));
  expect(reply.model).toBe('claude-x');
  expect(reply.choices[0]!.stop).toEqual({ reason: 'end', native: 'end_turn' });
});

test.each([
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
  ['model_context_window_exceeded', 'length'],
  ['a_new_word', 'unknown'],
  ['constructor', 'unknown'],
])('stop reason %s', (native, reason) => {
  expect(readReply(body.replace('end_turn', native)).choices[0]!.stop).toEqual({ reason, native });
});

test.each(['', '[]', '{}', '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}', '{"content":7}'])(
  'what is not a reply is an error with its body: %s',
  (text) => {
    expect(() => readReply(text)).toThrow(text === '' ? Error : ProtocolError);
  },
);

describe('usage', () => {
  const usage = (text: string) => readReply(`{"content":[],"usage":${text}}`).usage;

  test('cached tokens are not counted twice', () => {
    expect(
      usage(
        '{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":10},"output_tokens":50,"output_tokens_details":{"thinking_tokens":40}}',
      ),
    ).toMatchObject({ input: 5, cacheRead: 100, cacheWrite5m: 20, cacheWrite1h: 10, output: 10, reasoning: 40 });
  });

  test('compaction is counted although the top level leaves it out', () => {
    const native =
      '{"input_tokens":7,"output_tokens":5,"iterations":[{"type":"compaction","input_tokens":100,"output_tokens":20,"cache_read_input_tokens":1000},{"type":"message","input_tokens":7,"output_tokens":5}]}';
    expect(usage(native)).toMatchObject({ input: 107, output: 25, cacheRead: 1000, native });
  });

  test('nonsense never becomes negative', () => {
    expect(usage('{"input_tokens":-1,"output_tokens":2,"output_tokens_details":{"thinking_tokens":9}}')).toMatchObject({
      input: 0,
      output: 0,
      reasoning: 2,
    });
    expect(usage('null')).toBeUndefined();
  });
});
