import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../reply.ts';
import { readRequest } from './index.ts';
import { readReply, readStop, readUsage } from './read-response.ts';

describe('an unstreamed reply', () => {
  it('is taken apart without changing a byte', () => {
    const message = '{ "role":"assistant", "content":"caf\\u00e9", "n":1.0 }';
    const body = `{"id":"c", "seed":2512292042121000001,"model":"m","choices":[{"index":0,"message":${message},"finish_reason":"stop"},{"message":{"role":"assistant","content":"b"},"finish_reason":"length"}]}`;
    const reply = readReply(body);
    expect(reply.choices.map(({ raw }) => raw)).toEqual([message, '{"role":"assistant","content":"b"}']);
    expect(reply.envelope).toBe(
      '{"id":"c", "seed":2512292042121000001,"model":"m","choices":[{"index":0,"message":null,"finish_reason":"stop"},{"message":null,"finish_reason":"length"}]}',
    );
    expect(reply.model).toBe('m');
  });

  it.each(['{"error":{"message":"Too long"}}', '{"id":"x"}', '{"id":"c","choices":[]}', '[]', '<html>'])(
    'is not %s',
    (body) => {
      expect(() => readReply(body)).toThrow();
    },
  );

  it('carries the body in its error', () => {
    const body = '{"error":{"message":"Too long"}}';
    expect(() => readReply(body)).toThrow(
      expect.objectContaining({ body, message: expect.stringContaining('Too long') }),
    );
    expect(() => readReply(body)).toThrow(ProtocolError);
  });
});

describe('why a reply ended', () => {
  const plain = '{"role":"assistant","content":"a"}';
  const calling = '{"role":"assistant","tool_calls":[{}]}';

  it.each([
    ['stop', plain, 'end'],
    ['stop', calling, 'tool-use'],
    ['stop', '{"role":"assistant","content":null,"refusal":"No."}', 'refusal'],
    ['tool_calls', calling, 'tool-use'],
    ['length', calling, 'length'],
    ['content_filter', plain, 'filter'],
    ['error', plain, 'error'],
    ['constructor', plain, 'unknown'],
    ['', calling, 'tool-use'],
    ['', plain, 'end'],
  ])('%s on %s is %s', (word, raw, reason) => {
    expect(readStop(word, raw)).toEqual({ reason, native: word });
  });
});

describe('usage', () => {
  const buckets = (usage: string) => {
    const text = `{"usage":${usage}}`;
    const { native, ...counts } = readUsage(text)!;
    expect(native).toBe(usage);
    return Object.values(counts);
  };

  it.each([
    ['{"prompt_tokens":10,"completion_tokens":5}', [10, 0, 0, 0, 5, 0]],
    [
      '{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":3},"completion_tokens_details":{"reasoning_tokens":2}}',
      [3, 4, 3, 0, 3, 2],
    ],
    ['{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":4}', [6, 4, 0, 0, 5, 0]],
    // Thoughts beside the completion.
    [
      '{"prompt_tokens":12,"completion_tokens":2,"total_tokens":334,"completion_tokens_details":{"reasoning_tokens":320}}',
      [12, 0, 0, 0, 2, 320],
    ],
    // Counts that contradict each other never become negative.
    [
      '{"prompt_tokens":3,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":9},"completion_tokens_details":{"reasoning_tokens":11}}',
      [0, 3, 0, 0, 0, 10],
    ],
    ['{"prompt_tokens":-1,"completion_tokens":null}', [0, 0, 0, 0, 0, 0]],
  ])('%s', (usage, expected) => {
    expect(buckets(usage)).toEqual(expected);
  });

  it('is found where Groq and Moonshot put it in streams', () => {
    const groq = '{"x_groq":{"usage":{"prompt_tokens":3}}}';
    expect(readUsage(groq)?.input).toBe(3);
    const moonshot = '{"usage":null,"choices":[{"usage":{"prompt_tokens":3}}]}';
    expect(readUsage(moonshot)?.input).toBe(3);
    expect(readUsage('{}')).toBeUndefined();
  });
});

describe('a request', () => {
  it('is taken apart completely', () => {
    const plain = '{"type":"function","function":{"name":"f","parameters":{"type":"object","n":1.0}}}';
    const strict = '{"type":"function","function":{"name":"g","parameters":{},"strict":true}}';
    const marked = '{"type":"function","function":{"name":"h","parameters":{}},"cache_control":{}}';
    const body = `{"model":"m","max_tokens":5,"stop":"x","seed":1,"stream":true,"stream_options":{"include_usage":true},"tool_choice":{"type":"function","function":{"name":"f"}},"reasoning_effort":"low","top_k":1.0,"tools":[${plain},${strict},${marked}],"messages":[ {"role":"system","content":"s"} , {"role":"user","content":"u"}]}`;
    expect(readRequest(body)).toEqual({
      model: 'm',
      system: undefined,
      messages: ['{"role":"system","content":"s"}', '{"role":"user","content":"u"}'],
      tools: [
        { name: 'f', parameters: '{"type":"object","n":1.0}' },
        { dialect: 'openai-chat', native: strict },
        { dialect: 'openai-chat', native: marked },
      ],
      params: { maxTokens: 5, seed: 1, stream: true },
      // PortableBlock in a way of this protocol alone: kept as it is.
      rest: {
        stop: '"x"',
        stream_options: '{"include_usage":true}',
        tool_choice: '{"type":"function","function":{"name":"f"}}',
        reasoning_effort: '"low"',
        top_k: '1.0',
      },
    });
  });

  it('leaves what it does not understand in the rest', () => {
    const body =
      '{"messages":[],"max_tokens":1,"max_completion_tokens":2,"seed":2512292042121000001,"tool_choice":{"type":"allowed_tools"},"stop":[1],"tools":null}';
    expect(readRequest(body)).toMatchObject({
      params: { maxTokens: 2 },
      rest: {
        max_tokens: '1',
        seed: '2512292042121000001',
        tool_choice: '{"type":"allowed_tools"}',
        stop: '[1]',
        tools: 'null',
      },
    });
    expect(() => readRequest('{"input":"x"}')).toThrow(ProtocolError);
  });
});
