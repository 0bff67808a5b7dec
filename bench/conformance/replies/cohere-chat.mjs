import { ARGUMENTS, BIG, ODD, sseOf } from './sse.mjs';

/** @import { Reply } from './sse.mjs' */

/**
 * @param {readonly string[]} members of the message
 * @param {readonly string[]} events between the start and the end of the stream
 * @param {Reply['calls']} [calls]
 * @param {string} [more] members that the message of the stream begins with
 * @returns {Reply}
 */
function reply(members, events, calls = [], more = '') {
  const message = `{${['"role":"assistant"', ...members].join(',')}}`;
  const tokens = '"tokens":{"input_tokens":12,"output_tokens":8}';
  const end = `"finish_reason":"${calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE'}","usage":{${tokens}}`;
  const empty = '"content":[],"tool_plan":"","tool_calls":[],"citations":[]';
  return {
    json: `{"id":"c1","message":${message},${end}}`,
    sse: sseOf(
      [
        `{"id":"c1","type":"message-start","delta":{"message":{"role":"assistant",${empty}${more}}}}`,
        ...events,
        `{"type":"message-end","delta":{${end}}}`,
      ],
      true,
    ),
    elements: [message],
    calls,
  };
}

/**
 * @param {string} type
 * @param {number} index
 * @param {string} message
 */
const event = (type, index, message) => `{"type":"${type}","index":${index},"delta":{"message":{${message}}}}`;

/**
 * @param {number} index
 * @param {'text' | 'thinking'} kind
 * @param {readonly string[]} pieces
 * @param {string} [more] members of the part
 */
const part = (index, kind, pieces, more = '') => [
  event('content-start', index, `"content":{"type":"${kind}","${kind}":""${more}}`),
  ...pieces.map((piece) => event('content-delta', index, `"content":{"${kind}":"${piece}"}`)),
  `{"type":"content-end","index":${index}}`,
];

const cited = `{"start":0,"end":6,"text":"Grüezi","sources":[{"type":"document","id":"d:0","document":{"weight":1.0,"big":${BIG}}}],"content_index":1,"type":"TEXT_CONTENT"}`;
const call = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ given) =>
  `{"id":"${id}","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(given)}}}`;

/** @type {Record<'known' | 'unknown' | 'calls', Reply>} */
export const replies = {
  known: reply(
    [
      '"content":[{"type":"thinking","thinking":"They want \\"Zürich\\".\\nSo \\u00fc."},{"type":"text","text":"Grüezi 👋, a \\\\ and \\ud83d\\ude00."}]',
      `"citations":[${cited}]`,
    ],
    [
      ...part(0, 'thinking', ['They want \\"Zürich\\".', '\\nSo \\u00fc.']),
      ...part(1, 'text', ['Grüezi 👋, a ', '\\\\ and \\ud83d\\ude00.']),
      event('citation-start', 0, `"citations":${cited}`),
      '{"type":"citation-end","index":0}',
    ],
  ),
  unknown: reply(
    [
      `"x_mood":${ODD}`,
      `"content":[{"type":"text","text":"Well, yes.","x_weight":${ODD}},{"type":"hologram","beams":[1.0,1e5,${BIG}]}]`,
    ],
    [
      '{"type":"sparkle","brightness":1.0}',
      ...part(0, 'text', ['Well, ', 'yes.'], `,"x_weight":${ODD}`),
      event('content-start', 1, `"content":{"type":"hologram","beams":[1.0,1e5,${BIG}]}`),
      '{"type":"content-end","index":1}',
    ],
    [],
    `,"x_mood":${ODD}`,
  ),
  calls: reply(
    [
      '"tool_plan":"I look it up."',
      `"tool_calls":[${call('look_up_fix:1', 'look_up', ARGUMENTS.join(''))},${call('now_fix2', 'now', '{}')}]`,
    ],
    [
      '{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I look "}}}',
      '{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"it up."}}}',
      event('tool-call-start', 0, `"tool_calls":${call('look_up_fix:1', 'look_up', '')}`),
      ...ARGUMENTS.map((piece) =>
        event('tool-call-delta', 0, `"tool_calls":{"function":{"arguments":${JSON.stringify(piece)}}}`),
      ),
      '{"type":"tool-call-end","index":0}',
      event('tool-call-start', 1, `"tool_calls":${call('now_fix2', 'now', '')}`),
      event('tool-call-delta', 1, '"tool_calls":{"function":{"arguments":"{}"}}'),
      '{"type":"tool-call-end","index":1}',
    ],
    [
      { id: 'look_up_fix:1', name: 'look_up' },
      { id: 'now_fix2', name: 'now' },
    ],
  ),
};
