import { expect, test } from 'vitest';
import { ProtocolError } from '../reply.ts';
import { readRequest } from './index.ts';

test('every member of a request is in one place', () => {
  const request = readRequest(
    `{"model":"m","max_tokens":10,"temperature":0.5,"stop_sequences":["a"],"stream":true,"system":[ {"type":"text","text":"s"} ],
      "tool_choice":{"type":"any","disable_parallel_tool_use":true},"metadata":{ "user_id": "7" },"top_k":1.0,
      "tools":[{"name":"f","description":"d","input_schema":{ "type": "object" }},{"type":"web_search_20250305","name":"web_search"}],
      "messages":[{"role":"user","content":"hi"}, {"content":[],"role":"assistant"}]}`,
  );
  expect(request).toEqual({
    model: 'm',
    system: '{"role":"system","content":[ {"type":"text","text":"s"} ]}',
    messages: ['{"role":"user","content":"hi"}', '{"content":[],"role":"assistant"}'],
    tools: [
      { name: 'f', description: 'd', parameters: '{ "type": "object" }' },
      { dialect: 'anthropic-messages', native: '{"type":"web_search_20250305","name":"web_search"}' },
    ],
    params: { maxTokens: 10, temperature: 0.5, stop: ['a'], stream: true },
    rest: {
      tool_choice: '{"type":"any","disable_parallel_tool_use":true}',
      metadata: '{ "user_id": "7" }',
      top_k: '1.0',
    },
  });
});

test('parameters without a plain word of ours stay whole', () => {
  const { params, rest } = readRequest(
    '{"messages":[],"thinking":{"type":"enabled","budget_tokens":2048,"display":"omitted"},"output_config":{"effort":"low","format":{}},"tool_choice":{"type":"novel"}}',
  );
  expect(params).toEqual({});
  expect(Object.keys(rest)).toEqual(['thinking', 'output_config', 'tool_choice']);
});

test('a tool that says more than a function tool can hold stays native', () => {
  const native = '{"name":"f","input_schema":{"type":"object"},"strict":true}';
  expect(readRequest(`{"messages":[],"tools":[${native}]}`).tools).toEqual([{ dialect: 'anthropic-messages', native }]);
});

test('a body without messages is not a request', () => {
  expect(() => readRequest('{"input":[]}')).toThrow(ProtocolError);
});
