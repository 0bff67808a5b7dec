import { describe, expect, it } from 'vitest';
import { bedrockConverse, googleInteractions } from '../src/dialect.ts';
import { blocks, dialect, writeRequest } from '../src/index.ts';
import { type DialectSamples, dialectConformance } from '../src/testing.ts';

const SAMPLES: Record<string, DialectSamples> = {
  'openai-chat': {
    reply:
      '{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello there"},"finish_reason":"stop"}]}',
    stream: [
      [
        undefined,
        '{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}',
      ],
      [undefined, '{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Hello "},"finish_reason":null}]}'],
      [undefined, '{"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"there"},"finish_reason":"stop"}]}'],
      [undefined, '[DONE]'],
    ],
    toolCall:
      '{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\\"a\\": 1.0}"}}]},"finish_reason":"tool_calls"}]}',
    request: '{"model":"m","messages":[{"role":"user","content":"Hi"}]}',
    notThisProtocol: '{"error":{"message":"no"}}',
  },
  'openai-responses': {
    reply:
      '{"id":"resp_1","object":"response","model":"m","status":"completed","output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello there","annotations":[]}]}]}',
    stream: [
      [
        'response.created',
        '{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","model":"m","status":"in_progress","output":[]}}',
      ],
      [
        'response.output_item.added',
        '{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[]}}',
      ],
      [
        'response.output_text.delta',
        '{"type":"response.output_text.delta","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hello "}',
      ],
      [
        'response.output_text.delta',
        '{"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"there"}',
      ],
      [
        'response.output_item.done',
        '{"type":"response.output_item.done","sequence_number":4,"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello there","annotations":[]}]}}',
      ],
      [
        'response.completed',
        '{"type":"response.completed","sequence_number":5,"response":{"id":"resp_1","model":"m","status":"completed","output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello there","annotations":[]}]}]}}',
      ],
    ],
    toolCall:
      '{"id":"resp_1","object":"response","model":"m","status":"completed","output":[{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"look","arguments":"{\\"a\\": 1.0}"}]}',
    request: '{"model":"m","input":"Hi"}',
    notThisProtocol: '{"error":{"message":"no"}}',
  },
  'anthropic-messages': {
    reply:
      '{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello there"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}',
    stream: [
      [
        'message_start',
        '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}',
      ],
      ['content_block_start', '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'],
      ['content_block_delta', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello "}}'],
      ['content_block_delta', '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"there"}}'],
      ['content_block_stop', '{"type":"content_block_stop","index":0}'],
      ['message_delta', '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}'],
      ['message_stop', '{"type":"message_stop"}'],
    ],
    toolCall:
      '{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_1","name":"look","input":{"a": 1.0}}],"stop_reason":"tool_use"}',
    request: '{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"Hi"}]}',
    notThisProtocol: '{"type":"error","error":{"type":"api_error","message":"no"}}',
  },
  'google-generatecontent': {
    reply:
      '{"candidates":[{"content":{"parts":[{"text":"Hello there"}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m"}',
    stream: [
      [
        undefined,
        '{"candidates":[{"content":{"parts":[{"text":"Hello "}],"role":"model"},"index":0}],"modelVersion":"m"}',
      ],
      [
        undefined,
        '{"candidates":[{"content":{"parts":[{"text":"there"}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m"}',
      ],
    ],
    toolCall:
      '{"candidates":[{"content":{"parts":[{"functionCall":{"id":"f1","name":"look","args":{"a": 1.0}}}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m"}',
    request: '{"contents":[{"parts":[{"text":"Hi"}],"role":"user"}]}',
    notThisProtocol: '{"error":{"code":400,"message":"no"}}',
  },
  [googleInteractions.id]: {
    reply:
      '{"id":"v1_1","status":"completed","steps":[{"signature":"c2ln","type":"thought"},{"content":[{"text":"Hello there","type":"text"}],"type":"model_output"}],"object":"interaction","model":"m"}',
    stream: [
      [
        undefined,
        '{"interaction":{"id":"v1_1","status":"in_progress","object":"interaction","model":"m"},"event_type":"interaction.created"}',
      ],
      [undefined, '{"interaction_id":"v1_1","status":"in_progress","event_type":"interaction.status_update"}'],
      [undefined, '{"index":0,"step":{"type":"thought"},"event_type":"step.start"}'],
      [undefined, '{"index":0,"delta":{"signature":"c2ln","type":"thought_signature"},"event_type":"step.delta"}'],
      [undefined, '{"index":0,"event_type":"step.stop"}'],
      [undefined, '{"index":1,"step":{"type":"model_output"},"event_type":"step.start"}'],
      [undefined, '{"index":1,"delta":{"text":"Hello ","type":"text"},"event_type":"step.delta"}'],
      [undefined, '{"index":1,"delta":{"text":"there","type":"text"},"event_type":"step.delta"}'],
      [undefined, '{"index":1,"event_type":"step.stop"}'],
      [
        undefined,
        '{"interaction":{"id":"v1_1","status":"completed","object":"interaction","model":"m"},"event_type":"interaction.completed"}',
      ],
    ],
    toolCall:
      '{"id":"v1_1","status":"requires_action","steps":[{"id":"c1","type":"function_call","name":"look","arguments":{"a": 1.0}}],"object":"interaction","model":"m"}',
    request: '{"model":"m","input":"Hi"}',
    notThisProtocol: '{"error":{"message":"no","code":"invalid_request"}}',
  },
  [bedrockConverse.id]: {
    reply:
      '{"output":{"message":{"role":"assistant","content":[{"text":"Hello there"}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3},"metrics":{"latencyMs":5}}',
    stream: [
      ['messageStart', '{"p":"abc","role":"assistant"}'],
      ['contentBlockDelta', '{"contentBlockIndex":0,"delta":{"text":"Hello "},"p":"ab"}'],
      ['contentBlockDelta', '{"contentBlockIndex":0,"delta":{"text":"there"},"p":"a"}'],
      ['contentBlockStop', '{"contentBlockIndex":0,"p":"abcd"}'],
      ['messageStop', '{"p":"abcde","stopReason":"end_turn"}'],
      ['metadata', '{"metrics":{"latencyMs":5},"p":"a","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3}}'],
    ],
    toolCall:
      '{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_1","name":"look","input":{"a": 1.0}}}]}},"stopReason":"tool_use"}',
    request: '{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"inferenceConfig":{"maxTokens":10}}',
    notThisProtocol: '{"message":"no"}',
  },
  'cohere-chat': {
    reply:
      '{"id":"c1","message":{"role":"assistant","content":[{"type":"text","text":"Hello there"}]},"finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":1,"output_tokens":2}}}',
    stream: [
      [
        'message-start',
        '{"id":"c1","type":"message-start","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}',
      ],
      ['content-start', '{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}'],
      ['content-delta', '{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hello "}}}}'],
      ['content-delta', '{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"there"}}}}'],
      ['content-end', '{"type":"content-end","index":0}'],
      ['message-end', '{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}'],
    ],
    toolCall:
      '{"id":"c2","message":{"role":"assistant","tool_plan":"Look.","tool_calls":[{"id":"look_1","type":"function","function":{"name":"look","arguments":"{\\"a\\": 1.0}"}}]},"finish_reason":"TOOL_CALL"}',
    request: '{"model":"m","messages":[{"role":"user","content":"Hi"}]}',
    notThisProtocol: '{"id":"x","message":"no"}',
  },
  blocks: {
    reply: '{"model":"m","message":{"role":"assistant","content":[{"type":"text","text":"Hello there"}]},"stop":"end"}',
    stream: [
      [undefined, '{"type":"text","text":"Hello "}'],
      [undefined, '{"type":"text","text":"there"}'],
      [undefined, '{"type":"finish","model":"m","stop":"end"}'],
    ],
    toolCall:
      '{"model":"m","message":{"role":"assistant","content":[{"type":"tool-use","id":"c1","name":"look","parameters":{"a": 1.0}}]},"stop":"tool-use"}',
    request: '{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}',
    notThisProtocol: '{"error":"no"}',
  },
};

describe('every built-in dialect keeps what all dialects promise', () => {
  const cases = Object.entries(SAMPLES).flatMap(([id, samples]) => dialectConformance(dialect(id), samples));
  it.each(cases)('$name', ({ run }) => run());
});

describe('blocks', () => {
  it('carries thoughts as thoughts and says that only the visible part is carried', () => {
    const thinker = dialect('anthropic-messages').parseMessage(
      '{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Hi"}]}',
    );
    const { body, losses } = writeRequest(blocks, { model: 'm', messages: [thinker] });
    expect(body).toBe(
      '{"model":"m","messages":[{"role":"assistant","content":[{"type":"reasoning","text":"hm","redacted":false},{"type":"text","text":"Hi"}]}]}',
    );
    expect(losses).toMatchObject([{ kind: 'rewritten', reason: 'foreign-reasoning', message: 0, path: 'content[0]' }]);
  });
});
