import { ARGUMENTS, BIG, ODD, sseOf } from './sse.mjs';

/** @import { Reply } from './sse.mjs' */

/** @typedef {{ json: string, start: string, deltas: readonly string[] }} Block */

/**
 * @param {readonly string[]} pieces JSON string content
 * @param {string} signature
 * @returns {Block}
 */
function thinking(pieces, signature, more = '') {
  const all = (/** @type {string} */ text, /** @type {string} */ proof) =>
    `{"type":"thinking","thinking":"${text}","signature":"${proof}"${more}}`;
  const deltas = pieces.map((piece) => `{"type":"thinking_delta","thinking":"${piece}"}`);
  return {
    json: all(pieces.join(''), signature),
    start: all('', ''),
    deltas: [...deltas, `{"type":"signature_delta","signature":"${signature}"}`],
  };
}

/**
 * @param {readonly string[]} pieces
 * @param {readonly string[]} [citations]
 * @returns {Block}
 */
function text(pieces, citations, more = '') {
  const cited = (/** @type {readonly string[]} */ list) => (citations ? `"citations":[${list.join(',')}],` : '');
  const deltas = pieces.map((piece) => `{"type":"text_delta","text":"${piece}"}`);
  return {
    json: `{${cited(citations ?? [])}"type":"text","text":"${pieces.join('')}"${more}}`,
    start: `{${cited([])}"type":"text","text":""${more}}`,
    deltas: [...deltas, ...(citations ?? []).map((citation) => `{"type":"citations_delta","citation":${citation}}`)],
  };
}

/**
 * @param {string} type
 * @param {string} id
 * @param {string} name
 * @param {readonly string[]} pieces of the input's JSON text
 * @returns {Block}
 */
function call(type, id, name, pieces, more = '') {
  const all = (/** @type {string} */ input) =>
    `{"type":"${type}","id":"${id}","name":"${name}","input":${input}${more}}`;
  const deltas = ['', ...pieces].map((piece) => `{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}`);
  return { json: all(pieces.join('')), start: all('{}'), deltas };
}

/**
 * @param {string} json
 * @returns {Block}
 */
const whole = (json) => ({ json, start: json, deltas: [] });

/**
 * @param {string} id
 * @param {readonly Block[]} blocks
 * @param {{ stop?: string, calls?: Reply['calls'], events?: readonly string[] }} [more]
 * @returns {Reply}
 */
function reply(id, blocks, { stop = 'end_turn', calls = [], events = [] } = {}) {
  const head = `"id":"${id}","type":"message","role":"assistant","model":"claude-sonnet-4-5"`;
  const elements = blocks.map(({ json }) => json);
  const usage = '"usage":{"input_tokens":12,"output_tokens":40}';
  const json = `{${head},"content":[${elements.join(',')}],"stop_reason":"${stop}","stop_sequence":null,${usage}}`;
  const begun = `{${head},"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":12,"output_tokens":1}}`;
  const sse = sseOf(
    [
      `{"type":"message_start","message":${begun}}`,
      '{"type":"ping"}',
      ...blocks.flatMap(({ start, deltas }, index) => [
        `{"type":"content_block_start","index":${index},"content_block":${start}}`,
        ...deltas.map((delta) => `{"type":"content_block_delta","index":${index},"delta":${delta}}`),
        `{"type":"content_block_stop","index":${index}}`,
        ...(index === 0 ? events : []),
      ]),
      `{"type":"message_delta","delta":{"stop_reason":"${stop}","stop_sequence":null},"usage":{"output_tokens":40}}`,
      '{"type":"message_stop"}',
    ],
    true,
  );
  return { json, sse, elements, calls };
}

const webCitation =
  '{"type":"web_search_result_location","url":"https://example.com/z%C3%BCrich","title":"Zürich","cited_text":"It is \\"large\\".","encrypted_index":"Eo8BCioIAhgB"}';
const webResult =
  '{"type":"web_search_tool_result","tool_use_id":"srvtoolu_01c","content":[{"type":"web_search_result","url":"https://example.com","title":"T","encrypted_content":"EtQECioIAhgB","page_age":"2 days"}]}';

/** @type {Record<'known' | 'unknown' | 'calls', Reply>} */
export const replies = {
  known: reply('msg_01known', [
    thinking(['The user wants \\"Zürich\\".\\n', 'So \\u00fc it is.'], 'EqQBCgIYAhIM+/abc=='),
    whole('{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3p"}'),
    call('server_tool_use', 'srvtoolu_01c', 'web_search', ['{"query":', '"Zürich"}']),
    whole(webResult),
    text(['Zürich has ', 'many lakes.'], [webCitation]),
    text(['Grüezi 👋, a \\\\ and ', '\\ud83d\\ude00.']),
  ]),
  unknown: reply(
    'msg_01unknown',
    [
      thinking(['Hm.'], 'EqQBCgIYAhIMnew==', `,"x_depth":${ODD}`),
      text(['Well, ', 'yes.'], undefined, `,"x_weight":${ODD}`),
      whole(`{"type":"hologram","beams":[1.0,1e5,${BIG}],"nested":{"a":{"b":[true]}}}`),
      text(['Done.']),
    ],
    { events: ['event: future_event\ndata: {"type":"future_event","x":1.0}', ': a comment'] },
  ),
  calls: reply(
    'msg_01calls',
    [
      thinking(['Look it up.'], 'EqQBCgIYAhIMtool=='),
      text(['One moment.']),
      call('tool_use', 'toolu_01A-b_9', 'look_up', ARGUMENTS, ',"caller":{"type":"direct"}'),
      call('tool_use', 'toolu_odd', 'now', ['{}']),
    ],
    {
      stop: 'tool_use',
      calls: [
        { id: 'toolu_01A-b_9', name: 'look_up' },
        { id: 'toolu_odd', name: 'now' },
      ],
    },
  ),
};
