import { crc32 } from 'node:zlib';
import { ARGUMENTS, BIG, ODD } from './sse.mjs';

/** @import { Reply } from './sse.mjs' */

/**
 * @param {readonly string[]} blocks
 * @param {readonly (readonly [start: string, ...deltas: string[]])[]} streamed each block as it begins, if it does, and its deltas
 * @param {Reply['calls']} [calls]
 * @param {readonly (readonly [event: string, data: string])[]} [between] events that nobody knows
 * @returns {Reply}
 */
function reply(blocks, streamed, calls = [], between = []) {
  const stop = calls.length > 0 ? 'tool_use' : 'end_turn';
  const end = '"usage":{"inputTokens":12,"outputTokens":8,"totalTokens":20},"metrics":{"latencyMs":9}';
  /** @type {(readonly [string, string])[]} */
  const events = streamed.flatMap(([start, ...deltas], index) => [
    ...(start === ''
      ? []
      : [/** @type {const} */ (['contentBlockStart', `{"contentBlockIndex":${index},"start":${start}`])]),
    ...deltas.map(
      (delta) => /** @type {const} */ (['contentBlockDelta', `{"contentBlockIndex":${index},"delta":${delta}`]),
    ),
    /** @type {const} */ (['contentBlockStop', `{"contentBlockIndex":${index}`]),
  ]);
  return {
    json: `{"output":{"message":{"role":"assistant","content":[${blocks.join(',')}]}},"stopReason":"${stop}",${end}}`,
    sse: Buffer.concat(
      [
        /** @type {const} */ (['messageStart', '{"role":"assistant"']),
        ...between,
        ...events,
        /** @type {const} */ (['messageStop', `{"stopReason":"${stop}"`]),
        /** @type {const} */ (['metadata', `{${end}`]),
      ].map(([name, data]) => frame(name, `${data},"p":"abcd"}`)),
    ),
    streamType: 'application/vnd.amazon.eventstream',
    elements: blocks,
    calls,
  };
}

/**
 * One event in the binary framing of AWS: lengths, a checksum, headers, the payload, and a checksum of all of it.
 * @param {string} event
 * @param {string} data
 */
function frame(event, data) {
  const header = (/** @type {string} */ name, /** @type {string} */ value) => {
    const text = Buffer.from(value);
    return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7, 0, text.length]), text]);
  };
  const headers = Buffer.concat([
    header(':message-type', 'event'),
    header(':event-type', event),
    header(':content-type', 'application/json'),
  ]);
  const payload = Buffer.from(data);
  const frame = Buffer.alloc(16 + headers.length + payload.length);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, 12);
  payload.copy(frame, 12 + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4);
  return frame;
}

const thought =
  '{"reasoningContent":{"reasoningText":{"text":"They want \\"Zürich\\".\\nSo \\u00fc.","signature":"EqQBCgIYAhIM+/=="}}}';
/** @type {[string, ...string[]]} */
const thinks = [
  '',
  '{"reasoningContent":{"text":"They want \\"Zürich\\"."}}',
  '{"reasoningContent":{"text":"\\nSo \\u00fc."}}',
  '{"reasoningContent":{"signature":"EqQBCgIYAhIM+/=="}}',
];
const hidden = '{"reasoningContent":{"redactedContent":"RXFRQkNnSVlBaElN"}}';
const hologram = `{"hologram":{"beams":[1.0,1e5,${BIG}],"nested":{"a":{"b":[true]}}}}`;
const call = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ input) =>
  `{"toolUse":{"toolUseId":"${id}","name":"${name}","input":${input}}}`;
const begins = (/** @type {string} */ id, /** @type {string} */ name) =>
  `{"toolUse":{"toolUseId":"${id}","name":"${name}"}}`;

/** @type {Record<'known' | 'unknown' | 'calls', Reply>} */
export const replies = {
  known: reply(
    [thought, hidden, '{"text":"Grüezi 👋, a \\\\ and \\ud83d\\ude00."}'],
    [thinks, ['', hidden], ['', '{"text":"Grüezi 👋, a "}', '{"text":"\\\\ and \\ud83d\\ude00."}']],
  ),
  unknown: reply(
    [`{"text":"Well, yes.","xWeight":${ODD}}`, hologram, '{"text":"Done."}'],
    [['', `{"text":"Well, yes.","xWeight":${ODD}}`], [hologram], ['', '{"text":"Done."}']],
    [],
    [['sparkle', '{"brightness":1.0']],
  ),
  calls: reply(
    [thought, call('tooluse_fix-1', 'look_up', ARGUMENTS.join('')), call('tooluse_fix2', 'now', '{}')],
    [
      thinks,
      [
        begins('tooluse_fix-1', 'look_up'),
        ...ARGUMENTS.map((piece) => `{"toolUse":{"input":${JSON.stringify(piece)}}}`),
      ],
      [begins('tooluse_fix2', 'now'), '{"toolUse":{"input":"{}"}}'],
    ],
    [
      { id: 'tooluse_fix-1', name: 'look_up' },
      { id: 'tooluse_fix2', name: 'now' },
    ],
  ),
};
