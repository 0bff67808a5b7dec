import { BIG, ODD, sseOf } from './sse.mjs';

/** @import { Reply } from './sse.mjs' */

/**
 * @param {string} id
 * @param {readonly string[]} parts in one piece
 * @param {readonly (readonly string[])[]} events the parts of each event of the stream
 * @param {Reply['calls']} [calls]
 * @returns {Reply}
 */
function reply(id, parts, events, calls = []) {
  const tail = `"modelVersion":"gemini-2.5-flash","responseId":"${id}"`;
  const usage = '"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":8,"totalTokenCount":20}';
  const body = (/** @type {readonly string[]} */ list, /** @type {string} */ finish) =>
    `{"candidates":[{"content":{"parts":[${list.join(',')}],"role":"model"},${finish}"index":0}],${usage},${tail}}`;
  return {
    json: body(parts, '"finishReason":"STOP",'),
    sse: sseOf(events.map((list, index) => body(list, index === events.length - 1 ? '"finishReason":"STOP",' : ''))),
    elements: parts,
    streamed: events.flat(),
    calls,
  };
}

const code = '{"executableCode":{"language":"PYTHON","code":"print(1.0)"},"thoughtSignature":"CiQBcode"}';
const result = '{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1.0\\n"}}';
const hologram = `{"hologram":{"beams":[1.0,1e5,${BIG}],"nested":{"a":{"b":[true]}}}}`;
const lookUp = `{"functionCall":{"name":"look_up","args":{"city":"Zürich \\u2603","id":${BIG},"ratio":1.0},"id":"fn-fix.1"},"thoughtSignature":"CiQBcall+/=="}`;
const now = '{"functionCall":{"name":"now","args":{},"id":"fn_fix2"}}';

/** @type {Record<'known' | 'unknown' | 'calls', Reply>} */
export const replies = {
  known: reply(
    'known',
    [
      '{"text":"The user wants \\"Zürich\\".\\nSo \\u00fc.","thought":true}',
      '{"text":"Grüezi 👋, a \\\\ and \\ud83d\\ude00.","thoughtSignature":"CiQBVKhc7sig+/=="}',
      code,
      result,
      '{"text":"Done."}',
    ],
    [
      ['{"text":"The user wants \\"Zürich\\".\\n","thought":true}'],
      ['{"text":"So \\u00fc.","thought":true}'],
      ['{"text":"Grüezi 👋, "}', '{"text":"a \\\\ and "}'],
      ['{"text":"\\ud83d\\ude00."}'],
      ['{"text":"","thoughtSignature":"CiQBVKhc7sig+/=="}'],
      [code, result],
      ['{"text":"Done."}'],
    ],
  ),
  unknown: reply(
    'unknown',
    [`{"text":"Well, yes.","x_weight":${ODD}}`, hologram, '{"text":"Done."}'],
    [[`{"text":"Well, yes.","x_weight":${ODD}}`], [hologram], ['{"text":"Done."}']],
  ),
  calls: reply(
    'calls',
    ['{"text":"One moment."}', lookUp, now],
    [['{"text":"One "}'], ['{"text":"moment."}'], [lookUp], [now]],
    [
      { id: 'fn-fix.1', name: 'look_up' },
      { id: 'fn_fix2', name: 'now' },
    ],
  ),
};
