import { ARGUMENTS, BIG, ODD, sseOf } from './sse.mjs';

/** @import { Reply } from './sse.mjs' */

/**
 * @param {readonly string[]} steps
 * @param {readonly (readonly [start: string, ...deltas: string[]])[]} streamed each step as it begins, and what is added to it
 * @param {Reply['calls']} [calls]
 * @param {readonly string[]} [between] events that nobody knows
 * @returns {Reply}
 */
function reply(steps, streamed, calls = [], between = []) {
  const named = '"object":"interaction","model":"gemini-2.5-flash"';
  const status = calls.length > 0 ? 'requires_action' : 'completed';
  const usage = '"usage":{"total_tokens":20,"total_input_tokens":12,"total_output_tokens":8}';
  const interaction = (/** @type {string} */ state) => `"interaction":{"id":"","status":"${state}",${usage},${named}}`;
  const events = streamed.flatMap(([start, ...deltas], index) => [
    `{"index":${index},"step":${start},"event_type":"step.start"}`,
    ...deltas.map((delta) => `{"index":${index},"delta":${delta},"event_type":"step.delta"}`),
    `{"index":${index},"event_type":"step.stop"}`,
  ]);
  return {
    json: `{"status":"${status}",${usage},"steps":[${steps.join(',')}],${named}}`,
    sse: sseOf([
      `{${interaction('in_progress')},"event_type":"interaction.created"}`,
      ...between,
      ...events,
      `{${interaction(status)},"event_type":"interaction.completed"}`,
    ]),
    elements: steps,
    calls,
  };
}

const thought =
  '{"signature":"CiQBVKhc7sig+/==","summary":[{"text":"They want \\"Zürich\\".","type":"text"}],"type":"thought"}';
const says = (/** @type {string} */ text) => `{"content":[{"text":"${text}","type":"text"}],"type":"model_output"}`;
const search =
  '{"id":"s-fix.1","signature":"CiQBsearch","type":"google_search_call","arguments":{"queries":["Z\\u00fcrich"]}}';
const found =
  '{"call_id":"s-fix.1","signature":"CiQBfound","type":"google_search_result","result":[{"search_suggestions":"<b>a\\/b</b>"}]}';
const hologram = `{"type":"hologram","beams":[1.0,1e5,${BIG}],"nested":{"a":{"b":[true]}}}`;
const call = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ given) =>
  `{"id":"${id}","type":"function_call","name":"${name}","arguments":${given}}`;

/** @type {Record<'known' | 'unknown' | 'calls', Reply>} */
export const replies = {
  known: reply(
    [thought, says('Grüezi 👋, a \\\\ and \\ud83d\\ude00.'), search, found, says('That was all of it.')],
    [
      [
        '{"type":"thought"}',
        '{"content":{"text":"They want \\"Zürich\\".","type":"text"},"type":"thought_summary"}',
        '{"signature":"CiQBVKhc7sig+/==","type":"thought_signature"}',
      ],
      [
        '{"type":"model_output"}',
        '{"text":"Grüezi 👋, a ","type":"text"}',
        '{"text":"\\\\ and \\ud83d\\ude00.","type":"text"}',
      ],
      [search],
      [found],
      ['{"type":"model_output"}', '{"text":"That was all of it.","type":"text"}'],
    ],
  ),
  unknown: reply(
    [
      `{"content":[{"text":"Well, yes.","type":"text"}],"type":"model_output","x_weight":${ODD}}`,
      hologram,
      says('That was all of it.'),
    ],
    [
      [`{"type":"model_output","x_weight":${ODD}}`, '{"text":"Well, yes.","type":"text"}'],
      [hologram],
      ['{"type":"model_output"}', '{"text":"That was all of it.","type":"text"}'],
    ],
    [],
    [':a comment', '{"event_type":"interaction.sparkled","brightness":1.0}'],
  ),
  calls: reply(
    [thought, call('fn-fix.1', 'look_up', ARGUMENTS.join('')), call('fn_fix2', 'now', '{}')],
    [
      [
        '{"type":"thought"}',
        '{"content":{"text":"They want \\"Zürich\\".","type":"text"},"type":"thought_summary"}',
        '{"signature":"CiQBVKhc7sig+/==","type":"thought_signature"}',
      ],
      [
        call('fn-fix.1', 'look_up', '{}'),
        ...ARGUMENTS.map((piece) => `{"arguments":${JSON.stringify(piece)},"type":"arguments_delta"}`),
      ],
      [call('fn_fix2', 'now', '{}')],
    ],
    [
      { id: 'fn-fix.1', name: 'look_up' },
      { id: 'fn_fix2', name: 'now' },
    ],
  ),
};
