// One long streamed reply in each protocol, in the exact form of its provider.
import { opaque, piece, random } from './words.mjs';

export const DELTAS = 20_000;

/** @typedef {'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'google-generatecontent'} Protocol */

/** @type {readonly Protocol[]} */
export const PROTOCOLS = ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'];

/** The text that every stream says, in pieces. */
export function pieces() {
  const next = random(20_000);
  return Array.from({ length: DELTAS }, () => piece(next));
}

/** @param {Protocol} protocol */
export function streamBody(protocol) {
  const next = random(7);
  return WRITERS[protocol](pieces(), next);
}

/** @type {Record<Protocol, (texts: readonly string[], next: () => number) => string>} */
const WRITERS = {
  'anthropic-messages': anthropic,
  'openai-chat': chat,
  'openai-responses': responses,
  'google-generatecontent': google,
};

/**
 * @param {readonly string[]} texts
 * @param {() => number} next
 */
function anthropic(texts, next) {
  // Every event is padded with spaces, so that its length says little about its content.
  const event = (/** @type {string} */ name, /** @type {string} */ data) =>
    `event: ${name}\ndata: ${data.slice(0, -1)}${' '.repeat(Math.floor(next() * 15))}}\n\n`;
  const usage = '"input_tokens":2068,"cache_creation_input_tokens":0,"cache_read_input_tokens":0';
  return [
    event(
      'message_start',
      `{"type":"message_start","message":{"id":"msg_${opaque(next, 24)}","type":"message","role":"assistant","model":"claude-sonnet-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{${usage},"output_tokens":8,"service_tier":"standard"}}}`,
    ),
    event('content_block_start', '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'),
    'event: ping\ndata: {"type": "ping"}\n\n',
    ...texts.map((text) =>
      event(
        'content_block_delta',
        `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}`,
      ),
    ),
    event('content_block_stop', '{"type":"content_block_stop","index":0}'),
    event(
      'message_delta',
      `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{${usage},"output_tokens":${texts.length}}}`,
    ),
    event('message_stop', '{"type":"message_stop"}'),
  ].join('');
}

/**
 * @param {readonly string[]} texts
 * @param {() => number} next
 */
function chat(texts, next) {
  const start = `{"id":"chatcmpl-${opaque(next, 29)}","object":"chat.completion.chunk","created":1762141317,"model":"gpt-5-2025-08-07","service_tier":"default","system_fingerprint":"fp_${opaque(next, 10)}",`;
  const event = (/** @type {string} */ delta, finish = 'null') =>
    `data: ${start}"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}],"usage":null,"obfuscation":"${obfuscation(next)}"}\n\n`;
  return [
    event('{"role":"assistant","content":"","refusal":null}'),
    ...texts.map((text) => event(`{"content":${JSON.stringify(text)}}`)),
    event('{}', '"stop"'),
    `data: ${start}"choices":[],"usage":{"prompt_tokens":2068,"completion_tokens":${texts.length},"total_tokens":${texts.length + 2068},"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}},"obfuscation":""}\n\n`,
    'data: [DONE]\n\n',
  ].join('');
}

/**
 * @param {readonly string[]} texts
 * @param {() => number} next
 */
function responses(texts, next) {
  let number = 0;
  const event = (/** @type {string} */ type, /** @type {string} */ members) =>
    `event: ${type}\ndata: {"type":"${type}","sequence_number":${number++},${members}}\n\n`;
  const id = `msg_${opaque(next, 50)}`;
  const place = `"item_id":"${id}","output_index":0,"content_index":0`;
  const response = (/** @type {string} */ status, /** @type {string} */ output, usage = 'null') =>
    `"response":{"id":"resp_00a60507bf41223d","object":"response","created_at":1762141317,"status":"${status}","background":false,"error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"model":"gpt-5-2025-08-07","output":[${output}],"parallel_tool_calls":true,"reasoning":{"effort":"medium","summary":null},"service_tier":"auto","store":false,"temperature":1.0,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1.0,"truncation":"disabled","usage":${usage},"metadata":{}}`;
  const text = JSON.stringify(texts.join(''));
  const part = `{"type":"output_text","annotations":[],"logprobs":[],"text":${text}}`;
  const item = `{"id":"${id}","type":"message","status":"completed","content":[${part}],"role":"assistant"}`;
  const usage = `{"input_tokens":2068,"input_tokens_details":{"cached_tokens":0},"output_tokens":${texts.length},"output_tokens_details":{"reasoning_tokens":0},"total_tokens":${texts.length + 2068}}`;
  return [
    event('response.created', response('in_progress', '')),
    event('response.in_progress', response('in_progress', '')),
    event(
      'response.output_item.added',
      `"output_index":0,"item":{"id":"${id}","type":"message","status":"in_progress","content":[],"role":"assistant"}`,
    ),
    event(
      'response.content_part.added',
      `${place},"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}`,
    ),
    ...texts.map((delta) =>
      event(
        'response.output_text.delta',
        `${place},"delta":${JSON.stringify(delta)},"logprobs":[],"obfuscation":"${obfuscation(next)}"`,
      ),
    ),
    event('response.output_text.done', `${place},"text":${text},"logprobs":[]`),
    event('response.content_part.done', `${place},"part":${part}`),
    event('response.output_item.done', `"output_index":0,"item":${item}`),
    event('response.completed', response('completed', item, usage)),
  ].join('');
}

/**
 * @param {readonly string[]} texts
 * @param {() => number} next
 */
function google(texts, next) {
  const id = opaque(next, 23);
  const last = texts.length - 1;
  return texts
    .map((text, index) => {
      const written = JSON.stringify(text).replace(/[<>]/g, (sign) => (sign === '<' ? '\\u003c' : '\\u003e'));
      const finish = index === last ? '"finishReason": "STOP",' : '';
      return `data: {"candidates": [{"content": {"parts": [{"text": ${written}}],"role": "model"},${finish}"index": 0}],"usageMetadata": {"promptTokenCount": 2068,"candidatesTokenCount": ${index},"totalTokenCount": ${index + 2068},"promptTokensDetails": [{"modality": "TEXT","tokenCount": 2068}],"thoughtsTokenCount": 412},"modelVersion": "gemini-2.5-pro","responseId": "${id}"}\r\n\r\n`;
    })
    .join('');
}

/** @param {() => number} next */
function obfuscation(next) {
  return opaque(next, Math.floor(next() * 16));
}
