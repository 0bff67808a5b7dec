import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../reply.ts';
import { readRequest } from './index.ts';
import { readReply } from './read-response.ts';

describe('reading a request', () => {
  it('groups what a model issued and keeps every text exact', () => {
    const items = [
      '{"role":"user","content":"a"}',
      '{"type":"reasoning","id":"rs_1", "summary":[]}',
      '{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}',
      '{"type":"function_call_output","call_id":"c","output":"1"}',
      '{"role":"assistant","content":"b"}',
      '{"type":"web_search_call","id":"ws_1","n":1.0}',
      '{"type":"mcp_approval_request","id":"mcpr_1"}',
      '{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}',
      '{"type":"additional_tools","role":"developer","tools":[]}',
      '{"type":"tool_search_call","execution":"server"}',
      '{"type":"tool_search_output","execution":"server","tools":[]}',
      '{"type":"tool_search_output","execution":"client","tools":[]}',
      '{"id":"msg_9"}',
    ];
    const { messages } = readRequest(`{"input":[ ${items.join(' ,\n')} ]}`);
    const [user, rs, fc, out, said, search, ask, approval, more, find, found, own, ref] = items;
    expect(messages).toEqual([
      user,
      `[${rs},${fc}]`,
      out,
      `[${said},${search},${ask}]`,
      approval,
      more,
      `[${find},${found}]`,
      own,
      ref,
    ]);
  });

  it('reads a plain string and the instructions by their exact text', () => {
    const { messages, system, model } = readRequest('{"model":"m","instructions":"b\\u00e9","input":"h\\u0069"}');
    expect(messages).toEqual(['{"role":"user","content":"h\\u0069"}']);
    expect(system).toBe('{"role":"system","content":"b\\u00e9"}');
    expect(model).toBe('m');
  });

  it('puts everything without a common name into rest, and nothing into both', () => {
    const body =
      '{"input":"x","max_output_tokens":9,"temperature":1.0,"top_p":0.5,"stream":true,"tool_choice":{"type":"function","name":"f"},"parallel_tool_calls":false,"reasoning":{"effort":"low","summary":"auto"},"previous_response_id":"resp_1","conversation":{"id":"conv_1"},"instructions":null,"metadata":{"n":1.0}}';
    const { params, rest } = readRequest(body);
    expect(params).toEqual({
      maxTokens: 9,
      temperature: 1,
      topP: 0.5,
      stream: true,
      parallelToolCalls: false,
    });
    expect(rest).toEqual({
      tool_choice: '{"type":"function","name":"f"}',
      reasoning: '{"effort":"low","summary":"auto"}',
      previous_response_id: '"resp_1"',
      conversation: '{"id":"conv_1"}',
      instructions: 'null',
      metadata: '{"n":1.0}',
    });
  });

  it('reads plain functions as functions and everything else in its own words', () => {
    const plain =
      '{"type":"function","name":"f","description":"d","parameters":{"type":"object","x":1.0},"strict":false}';
    const strict = '{"type":"function","name":"f","parameters":{},"strict":true}';
    const search = '{"type":"web_search"}';
    expect(readRequest(`{"input":"x","tools":[${plain},${strict},${search}]}`).tools).toEqual([
      { name: 'f', description: 'd', parameters: '{"type":"object","x":1.0}' },
      { dialect: 'openai-responses', native: strict },
      { dialect: 'openai-responses', native: search },
    ]);
  });

  it('is not taken in by another protocol', () => {
    expect(() => readRequest('[]')).toThrow(ProtocolError);
    expect(() => readRequest('{"messages":[]}')).toThrow(ProtocolError);
  });
});

describe('reading a response', () => {
  const item = '{"type":"message","role":"assistant","content":[],"phase":"final_answer","n":1.0}';

  it('parts the items from the rest, exactly', () => {
    const reply = readReply(`{ "id":"resp_1","output":[ ${item} ],"status":"completed","seed":2512292042121000001 }`);
    expect(reply.choices).toEqual([{ raw: `[${item}]`, stop: { reason: 'end', native: 'completed' } }]);
    expect(reply.envelope).toBe('{ "id":"resp_1","output":null,"status":"completed","seed":2512292042121000001 }');
  });

  it.each([
    ['{"output":[{"type":"function_call"}],"status":"completed"}', 'tool-use', 'completed'],
    [
      '{"output":[{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}],"status":"completed"}',
      'refusal',
      'completed',
    ],
    [
      '{"output":[],"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}',
      'length',
      'max_output_tokens',
    ],
    [
      '{"output":[],"status":"incomplete","incomplete_details":{"reason":"content_filter"}}',
      'filter',
      'content_filter',
    ],
    ['{"output":[],"status":"incomplete","incomplete_details":{"reason":"boredom"}}', 'unknown', 'boredom'],
    ['{"output":[],"status":"failed","error":{"code":"server_error"}}', 'error', 'failed'],
    ['{"output":[],"status":"queued"}', 'unknown', 'queued'],
  ])('says why it stopped: %s', (body, reason, native) => {
    expect(readReply(body).choices[0]?.stop).toEqual({ reason, native });
  });

  it('counts no token twice', () => {
    const native =
      '{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":30},"output_tokens":20,"output_tokens_details":{"reasoning_tokens":15}}';
    expect(readReply(`{"output":[],"usage":${native}}`).usage).toEqual({
      input: 10,
      cacheRead: 60,
      cacheWrite5m: 30,
      cacheWrite1h: 0,
      output: 5,
      reasoning: 15,
      native,
    });
  });

  it('throws for an error body, with the body', () => {
    expect(() => readReply('{"error":{"message":"no"}}')).toThrow(ProtocolError);
  });
});
