/** @import { Protocol } from './streams.mjs' */

/** @type {Record<Protocol, string>} */
const REPLIES = {
  'anthropic-messages':
    '{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5","content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":2}}',
  'openai-chat':
    '{"id":"chatcmpl-1","object":"chat.completion","created":1762141317,"model":"gpt-5-2025-08-07","choices":[{"index":0,"message":{"role":"assistant","content":"Yes.","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}',
  'openai-responses':
    '{"id":"resp_1","object":"response","created_at":1762141317,"status":"completed","error":null,"incomplete_details":null,"instructions":null,"model":"gpt-5-2025-08-07","output":[{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Yes."}]}],"parallel_tool_calls":true,"tools":[],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":0},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":11}}',
  'google-generatecontent':
    '{"candidates": [{"content": {"parts": [{"text": "Yes."}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 9,"candidatesTokenCount": 2,"totalTokenCount": 11},"modelVersion": "gemini-2.5-pro","responseId": "r1"}',
};

/** @param {Protocol} protocol */
export function shortReply(protocol) {
  return REPLIES[protocol];
}
