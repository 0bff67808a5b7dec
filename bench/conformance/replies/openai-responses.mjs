import { ARGUMENTS, BIG, ODD, sseOf } from './sse.mjs';

/** @import { Reply } from './sse.mjs' */

/** @typedef {{ item: string, added: string, events: readonly string[] }} Item */

/**
 * @param {string} id
 * @param {string} secret
 * @param {readonly string[]} pieces
 * @returns {Item}
 */
function reasoning(id, secret, pieces, more = '') {
  const all = (/** @type {string} */ summary, /** @type {string} */ cipher) =>
    `{"id":"${id}","type":"reasoning","summary":[${summary}],"encrypted_content":"${cipher}"${more}}`;
  const part = (/** @type {string} */ text) => `{"type":"summary_text","text":"${text}"}`;
  const at = `"item_id":"${id}","output_index":#,"summary_index":0`;
  const text = pieces.join('');
  return {
    item: all(pieces.length > 0 ? part(text) : '', secret),
    added: all('', `${secret.slice(0, -4)}add=`),
    events:
      pieces.length === 0
        ? []
        : [
            `{"type":"response.reasoning_summary_part.added",${at},"part":${part('')}}`,
            ...pieces.map((piece) => `{"type":"response.reasoning_summary_text.delta",${at},"delta":"${piece}"}`),
            `{"type":"response.reasoning_summary_text.done",${at},"text":"${text}"}`,
            `{"type":"response.reasoning_summary_part.done",${at},"part":${part(text)}}`,
          ],
  };
}

/**
 * @param {string} id
 * @param {readonly string[]} pieces
 * @param {string} annotations
 * @returns {Item}
 */
function message(id, pieces, annotations, more = '', morePart = '') {
  const part = (/** @type {string} */ text, /** @type {string} */ notes) =>
    `{"type":"output_text","annotations":[${notes}],"logprobs":[],"text":"${text}"${morePart}}`;
  const all = (/** @type {string} */ status, /** @type {string} */ content) =>
    `{"id":"${id}","type":"message","status":"${status}"${more},"content":[${content}],"role":"assistant"}`;
  const at = `"item_id":"${id}","output_index":#,"content_index":0`;
  const text = pieces.join('');
  return {
    item: all('completed', part(text, annotations)),
    added: all('in_progress', ''),
    events: [
      `{"type":"response.content_part.added",${at},"part":${part('', '')}}`,
      ...pieces.map((piece) => `{"type":"response.output_text.delta",${at},"delta":"${piece}","logprobs":[]}`),
      ...(annotations === ''
        ? []
        : [`{"type":"response.output_text.annotation.added",${at},"annotation_index":0,"annotation":${annotations}}`]),
      `{"type":"response.output_text.done",${at},"text":"${text}","logprobs":[]}`,
      `{"type":"response.content_part.done",${at},"part":${part(text, annotations)}}`,
    ],
  };
}

/**
 * @param {string} id
 * @param {string} callId
 * @param {string} name
 * @param {readonly string[]} pieces JSON string content
 * @returns {Item}
 */
function call(id, callId, name, pieces, more = '') {
  const all = (/** @type {string} */ status, /** @type {string} */ text) =>
    `{"id":"${id}","type":"function_call","status":"${status}","arguments":"${text}","call_id":"${callId}","name":"${name}"${more}}`;
  const at = `"item_id":"${id}","output_index":#`;
  return {
    item: all('completed', pieces.join('')),
    added: all('in_progress', ''),
    events: [
      ...pieces.map((piece) => `{"type":"response.function_call_arguments.delta",${at},"delta":"${piece}"}`),
      `{"type":"response.function_call_arguments.done",${at},"arguments":"${pieces.join('')}"}`,
    ],
  };
}

/**
 * @param {string} item
 * @returns {Item}
 */
const whole = (item) => ({ item, added: item, events: [] });

/**
 * @param {string} id
 * @param {readonly Item[]} items
 * @param {{ calls?: Reply['calls'], events?: readonly string[] }} [more]
 * @returns {Reply}
 */
function reply(id, items, { calls = [], events = [] } = {}) {
  const elements = items.map(({ item }) => item);
  const body = (/** @type {string} */ status, /** @type {readonly string[]} */ output, /** @type {string} */ usage) =>
    `{"id":"${id}","object":"response","created_at":1760000000,"status":"${status}","error":null,"incomplete_details":null,"model":"gpt-5","output":[${output.join(',')}],"parallel_tool_calls":true,"store":false,"metadata":{},"usage":${usage}}`;
  const usage =
    '{"input_tokens":21,"input_tokens_details":{"cached_tokens":4},"output_tokens":90,"output_tokens_details":{"reasoning_tokens":64},"total_tokens":111}';
  const json = body('completed', elements, usage);
  const told = [
    `{"type":"response.created","response":${body('in_progress', [], 'null')}}`,
    ...items.flatMap(({ item, added, events: own }, index) =>
      [
        `{"type":"response.output_item.added","output_index":#,"item":${added}}`,
        ...own,
        `{"type":"response.output_item.done","output_index":#,"item":${item}}`,
        ...(index === 0 ? events : []),
      ].map((event) => event.replace('"output_index":#', `"output_index":${index}`)),
    ),
    `{"type":"response.completed","response":${json}}`,
  ];
  const numbered = told.map((event, index) =>
    event.startsWith('{"type":') ? event.replace(/^\{("type":"[^"]+")/, `{$1,"sequence_number":${index}`) : event,
  );
  return { json, sse: sseOf(numbered, true), elements, calls };
}

const annotation =
  '{"type":"url_citation","start_index":0,"end_index":6,"title":"Zürich","url":"https://example.com/z%C3%BCrich"}';
const search =
  '{"id":"ws_known1","type":"web_search_call","status":"completed","action":{"type":"search","query":"Zürich"}}';
const quoted = ARGUMENTS.map((piece) => JSON.stringify(piece).slice(1, -1));

/** @type {Record<'known' | 'unknown' | 'calls', Reply>} */
export const replies = {
  known: reply('resp_known', [
    reasoning('rs_known1', 'gAAAAABoknown_one-==', ['**Zürich**\\nThe ', 'user wants \\u00fc.']),
    whole(search),
    message('msg_known0', ['Looking ', 'it up.'], '', ',"phase":"commentary"'),
    message(
      'msg_known1',
      ['Grüezi 👋, ', 'a \\\\ and \\ud83d\\ude00 \\"1.0\\".'],
      annotation,
      ',"phase":"final_answer"',
    ),
  ]),
  unknown: reply(
    'resp_unknown',
    [
      reasoning('rs_new1', 'gAAAAABonew_one-==', ['Hm.'], `,"x_depth":${ODD}`),
      whole(`{"id":"holo_1","type":"hologram","beams":[1.0,1e5,${BIG}],"nested":{"a":{"b":[true]}}}`),
      message('msg_new1', ['Well, ', 'yes.'], '', `,"x_mood":${ODD}`, `,"x_weight":1.0`),
    ],
    { events: ['event: response.future.delta\ndata: {"type":"response.future.delta","x":1.0}', ': a comment'] },
  ),
  calls: reply(
    'resp_calls',
    [
      reasoning('rs_calls1', 'gAAAAABocalls_one-==', []),
      call('fc_calls1', 'call_A-b.9', 'look_up', quoted, ',"namespace":"weather"'),
      call('fc_calls2', 'call_fix2', 'now', ['{}']),
    ],
    {
      calls: [
        { id: 'call_A-b.9', name: 'look_up' },
        { id: 'call_fix2', name: 'now' },
      ],
    },
  ),
};
