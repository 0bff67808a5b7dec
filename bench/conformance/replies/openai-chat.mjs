import { ARGUMENTS, BIG, ODD, sseOf } from './sse.mjs';

/** @import { Reply } from './sse.mjs' */

/**
 * @param {string} id
 * @param {string} message
 * @param {readonly string[]} deltas
 * @param {{ finish?: string, calls?: Reply['calls'], events?: readonly string[] }} [more]
 * @returns {Reply}
 */
function reply(id, message, deltas, { finish = 'stop', calls = [], events = [] } = {}) {
  const head = `"id":"${id}","created":1760000000,"model":"gpt-5"`;
  const usage = '"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29}';
  const chunk = (/** @type {string} */ choices, more = '') =>
    `{${head},"object":"chat.completion.chunk","choices":[${choices}]${more}}`;
  return {
    json: `{${head},"object":"chat.completion","choices":[{"index":0,"message":${message},"logprobs":null,"finish_reason":"${finish}"}],${usage}}`,
    sse: sseOf([
      ...deltas.map((delta) => chunk(`{"index":0,"delta":${delta},"logprobs":null,"finish_reason":null}`)),
      ...events,
      chunk(`{"index":0,"delta":{},"logprobs":null,"finish_reason":"${finish}"}`),
      chunk('', `,${usage}`),
      '[DONE]',
    ]),
    elements: [message],
    calls,
  };
}

const said = ['Grüezi 👋, ', 'a \\\\ and \\ud83d\\ude00 ', '\\"1.0\\".'];
const thought = ['The user\\n', 'wants \\u00fc.'];
const annotation =
  '{"type":"url_citation","url_citation":{"url":"https://example.com","title":"Zürich","start_index":0,"end_index":6}}';
const [detail, secret] = [
  `{"type":"reasoning.text","text":"${thought.join('')}","signature":"c2ln+/==","index":0,"format":"anthropic-claude-v1"}`,
  '{"type":"reasoning.encrypted","data":"gAAAAABo","id":"rs_1","index":1}',
];
const quoted = ARGUMENTS.map((piece) => JSON.stringify(piece).slice(1, -1));

/** @type {Record<'known' | 'unknown' | 'calls', Reply>} */
export const replies = {
  known: reply(
    'chatcmpl-known',
    `{"role":"assistant","content":"${said.join('')}","refusal":null,"reasoning_content":"${thought.join('')}","reasoning_details":[${detail},${secret}],"annotations":[${annotation}]}`,
    [
      '{"role":"assistant","content":"","refusal":null}',
      ...thought.map(
        (piece, index) =>
          `{"reasoning_content":"${piece}","reasoning_details":[{"type":"reasoning.text","text":"${piece}","index":0${index === 0 ? ',"format":"anthropic-claude-v1"' : ''}}]}`,
      ),
      '{"reasoning_details":[{"type":"reasoning.text","signature":"c2ln+/==","index":0}]}',
      `{"reasoning_details":[${secret}]}`,
      ...said.map((piece) => `{"content":"${piece}"}`),
      `{"annotations":[${annotation}]}`,
    ],
  ),
  unknown: reply(
    'chatcmpl-unknown',
    `{"role":"assistant","content":"Well, yes.","refusal":null,"x_mood":${ODD},"x_parts":[{"type":"hologram","beams":[1.0,1e5,${BIG}]}]}`,
    [
      '{"role":"assistant","content":"","refusal":null}',
      '{"content":"Well, "}',
      '{"content":"yes."}',
      `{"x_mood":${ODD}}`,
      `{"x_parts":[{"type":"hologram","beams":[1.0,1e5,${BIG}]}]}`,
    ],
    { events: [': a comment'] },
  ),
  calls: reply(
    'chatcmpl-calls',
    `{"role":"assistant","content":null,"reasoning_content":"${thought.join('')}","tool_calls":[{"id":"functions.look_up:0","type":"function","function":{"name":"look_up","arguments":"${quoted.join('')}"}},{"id":"call_fix2","type":"function","function":{"name":"now","arguments":"{}"},"extra_content":{"google":{"thought_signature":"CiQB+/=="}}}]}`,
    [
      '{"role":"assistant","content":null}',
      ...thought.map((piece) => `{"reasoning_content":"${piece}"}`),
      '{"tool_calls":[{"index":0,"id":"functions.look_up:0","type":"function","function":{"name":"look_up","arguments":""}}]}',
      ...quoted.map((piece) => `{"tool_calls":[{"index":0,"function":{"arguments":"${piece}"}}]}`),
      '{"tool_calls":[{"index":1,"id":"call_fix2","type":"function","function":{"name":"now","arguments":"{}"},"extra_content":{"google":{"thought_signature":"CiQB+/=="}}}]}',
    ],
    {
      finish: 'tool_calls',
      calls: [
        { id: 'functions.look_up:0', name: 'look_up' },
        { id: 'call_fix2', name: 'now' },
      ],
    },
  ),
};
