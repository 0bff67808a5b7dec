/** What a model says, as the server-sent events of each API. Strings come in two pieces, so that a stream can break inside. */
import type { Reply } from '@skein/core';
import type { Api } from './apis.ts';
import { asValue, callsOf, type Said, secret } from './said.ts';

export type SseEvent = readonly [event: string | undefined, data: string];

export function streamOf(api: Api, model: string, said: Said, turn: number): readonly SseEvent[] {
  return EVENTS[api.id](model, said, turn, secret(api, turn));
}

/** Reads a stream, up to an event if it breaks off there. */
export function readStreamed(api: Api, events: readonly SseEvent[], origin = {}, upTo = events.length): Reply {
  const reader = api.dialect.readStream(origin);
  for (const [event, data] of events.slice(0, upTo)) reader.push(event, data);
  return reader.finish();
}

type Events = (model: string, said: Said, turn: number, secret: string) => readonly SseEvent[];
const json = JSON.stringify;

function halves(text: string): [string, string] {
  const half = text.length >> 1;
  // Not between the two halves of one character.
  const cut = /[\ud800-\udbff]$/.test(text.slice(0, half)) ? half + 1 : half;
  return [text.slice(0, cut), text.slice(cut)];
}

const anthropic: Events = (model, said, turn, secret) => {
  const named = (type: string, rest: string): SseEvent => [type, `{"type":"${type}",${rest}}`];
  const blocks: { start: string; deltas: string[] }[] = [];
  if (said.thought !== undefined)
    blocks.push({
      start: '{"type":"thinking","thinking":"","signature":""}',
      deltas: [
        ...halves(said.thought).map((piece) => `{"type":"thinking_delta","thinking":${json(piece)}}`),
        `{"type":"signature_delta","signature":"${secret}"}`,
      ],
    });
  if (said.text !== undefined)
    blocks.push({
      start: '{"type":"text","text":""}',
      deltas: halves(said.text).map((piece) => `{"type":"text_delta","text":${json(piece)}}`),
    });
  for (const { id, name, args } of callsOf(said, turn, 'toolu_01'))
    blocks.push({
      start: `{"type":"tool_use","id":${json(id)},"name":${json(name)},"input":{}}`,
      deltas: halves(args).map((piece) => `{"type":"input_json_delta","partial_json":${json(piece)}}`),
    });
  return [
    named(
      'message_start',
      `"message":{"id":"msg_${turn}","type":"message","role":"assistant","model":"${model}","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}`,
    ),
    ...blocks.flatMap(({ start, deltas }, index) => [
      named('content_block_start', `"index":${index},"content_block":${start}`),
      ...deltas.map((delta) => named('content_block_delta', `"index":${index},"delta":${delta}`)),
      named('content_block_stop', `"index":${index}`),
    ]),
    named(
      'message_delta',
      `"delta":{"stop_reason":"${said.calls?.length ? 'tool_use' : 'end_turn'}","stop_sequence":null},"usage":{"output_tokens":3}`,
    ),
    ['message_stop', '{"type":"message_stop"}'],
  ];
};

const google: Events = (model, said, turn, secret) => {
  const uses = callsOf(said, turn, 'gk3x');
  // From Gemini 3 on every first call is signed, whether its thoughts are shown or not.
  const signs = said.thought !== undefined || (uses.length > 0 && !model.startsWith('gemini-2'));
  const signed = signs ? `,"thoughtSignature":"${secret}"` : '';
  const [first, second] = halves(said.text ?? '');
  const parts = [
    ...(said.thought === undefined ? [] : [`{"text":${json(said.thought)},"thought":true}`]),
    ...(said.text === undefined ? [] : [`{"text":${json(first)}}`]),
    ...(said.text === undefined ? [] : [`{"text":${json(second)}${uses.length > 0 ? '' : signed}}`]),
    ...uses.map(
      ({ id, name, args }, index) =>
        `{"functionCall":{"name":${json(name)},"args":${asValue(args)},"id":${json(id)}}${index === 0 ? signed : ''}}`,
    ),
  ];
  const chunk = (part: string, end: string): SseEvent => [
    undefined,
    `{"candidates":[{"content":{"parts":[${part}],"role":"model"}${end},"index":0}],"modelVersion":"${model}"}`,
  ];
  return parts.map((part, index) => chunk(part, index === parts.length - 1 ? ',"finishReason":"STOP"' : ''));
};

const chat: Events = (model, said, turn) => {
  const chunk = (delta: string, stop = 'null'): SseEvent => [
    undefined,
    `{"id":"chatcmpl-${turn}","object":"chat.completion.chunk","created":1,"model":"${model}","choices":[{"index":0,"delta":${delta},"finish_reason":${stop}}]}`,
  ];
  return [
    chunk('{"role":"assistant","content":null}'),
    ...(said.thought === undefined
      ? []
      : halves(said.thought).map((piece) => chunk(`{"reasoning_content":${json(piece)}}`))),
    ...(said.text === undefined ? [] : halves(said.text).map((piece) => chunk(`{"content":${json(piece)}}`))),
    ...callsOf(said, turn, 'call_').flatMap(({ id, name, args }, index) => [
      chunk(
        `{"tool_calls":[{"index":${index},"id":${json(id)},"type":"function","function":{"name":${json(name)},"arguments":""}}]}`,
      ),
      ...halves(args).map((piece) =>
        chunk(`{"tool_calls":[{"index":${index},"function":{"arguments":${json(piece)}}}]}`),
      ),
    ]),
    chunk('{}', said.calls?.length ? '"tool_calls"' : '"stop"'),
    [undefined, '[DONE]'],
  ];
};

const responses: Events = (model, said, turn, secret) => {
  let sequence = 0;
  const named = (type: string, rest: string): SseEvent => [
    type,
    `{"type":"${type}","sequence_number":${sequence++},${rest}}`,
  ];
  const response = (status: string, output: string): string =>
    `"response":{"id":"resp_${turn}","object":"response","created_at":1,"status":"${status}","model":"${model}","output":[${output}],"usage":null}`;
  const items: { added: string; between: (index: number) => SseEvent[]; done: string }[] = [];
  if (said.thought !== undefined) {
    const [summary, thought] = [`{"type":"summary_text","text":${json(said.thought)}}`, said.thought];
    items.push({
      added: `{"id":"rs_${turn}","type":"reasoning","summary":[]}`,
      between: (index) => [
        named(
          'response.reasoning_summary_part.added',
          `"item_id":"rs_${turn}","output_index":${index},"summary_index":0,"part":{"type":"summary_text","text":""}`,
        ),
        ...halves(thought).map((piece) =>
          named(
            'response.reasoning_summary_text.delta',
            `"item_id":"rs_${turn}","output_index":${index},"summary_index":0,"delta":${json(piece)}`,
          ),
        ),
      ],
      done: `{"id":"rs_${turn}","type":"reasoning","summary":[${summary}],"encrypted_content":"${secret}"}`,
    });
  }
  if (said.text !== undefined) {
    const text = said.text;
    const message = (status: string, content: string): string =>
      `{"id":"msg_${turn}","type":"message","status":"${status}","content":[${content}],"role":"assistant"}`;
    items.push({
      added: message('in_progress', ''),
      between: (index) => [
        named(
          'response.content_part.added',
          `"item_id":"msg_${turn}","output_index":${index},"content_index":0,"part":{"type":"output_text","annotations":[],"text":""}`,
        ),
        ...halves(text).map((piece) =>
          named(
            'response.output_text.delta',
            `"item_id":"msg_${turn}","output_index":${index},"content_index":0,"delta":${json(piece)}`,
          ),
        ),
      ],
      done: message('completed', `{"type":"output_text","annotations":[],"text":${json(text)}}`),
    });
  }
  callsOf(said, turn, 'call_').forEach(({ id, name, args }, position) => {
    const call = (status: string, text: string): string =>
      `{"id":"fc_${turn}_${position}","type":"function_call","status":"${status}","arguments":${json(text)},"call_id":${json(id)},"name":${json(name)}}`;
    items.push({
      added: call('in_progress', ''),
      between: (index) =>
        halves(args).map((piece) =>
          named(
            'response.function_call_arguments.delta',
            `"item_id":"fc_${turn}_${position}","output_index":${index},"delta":${json(piece)}`,
          ),
        ),
      done: call('completed', args),
    });
  });
  return [
    named('response.created', response('in_progress', '')),
    ...items.flatMap(({ added, between, done }, index) => [
      named('response.output_item.added', `"output_index":${index},"item":${added}`),
      ...between(index),
      named('response.output_item.done', `"output_index":${index},"item":${done}`),
    ]),
    named('response.completed', response('completed', items.map(({ done }) => done).join(','))),
  ];
};

const interactions: Events = (model, said, turn, secret) => {
  const event = (type: string, rest: string): SseEvent => [type, `{${rest},"event_type":"${type}"}`];
  const steps: { start: string; deltas: string[] }[] = [];
  if (said.thought !== undefined)
    steps.push({
      start: '{"type":"thought"}',
      deltas: [
        ...halves(said.thought).map(
          (piece) => `{"content":{"type":"text","text":${json(piece)}},"type":"thought_summary"}`,
        ),
        `{"signature":"${secret}","type":"thought_signature"}`,
      ],
    });
  if (said.text !== undefined)
    steps.push({
      start: '{"type":"model_output"}',
      deltas: halves(said.text).map((piece) => `{"text":${json(piece)},"type":"text"}`),
    });
  const uses = callsOf(said, turn, 'ik3x');
  for (const { id, name, args } of uses)
    steps.push({
      start: `{"id":${json(id)},"type":"function_call","name":${json(name)},"arguments":{}}`,
      deltas: halves(args).map((piece) => `{"arguments":${json(piece)},"type":"arguments_delta"}`),
    });
  const named = `"object":"interaction","model":"${model}"`;
  const status = uses.length > 0 ? 'requires_action' : 'completed';
  return [
    event('interaction.created', `"interaction":{"id":"","status":"in_progress",${named}}`),
    ...steps.flatMap(({ start, deltas }, index) => [
      event('step.start', `"index":${index},"step":${start}`),
      ...deltas.map((delta) => event('step.delta', `"index":${index},"delta":${delta}`)),
      event('step.stop', `"index":${index}`),
    ]),
    event('interaction.completed', `"interaction":{"id":"","status":"${status}",${named}}`),
  ];
};

const bedrock: Events = (model, said, turn, secret) => {
  const event = (type: string, rest: string): SseEvent => [type, `{${rest},"p":"abc"}`];
  const blocks: { start?: string; deltas: string[] }[] = [];
  if (said.thought !== undefined)
    blocks.push({
      deltas: [
        ...halves(said.thought).map((piece) => `{"reasoningContent":{"text":${json(piece)}}}`),
        ...(model.includes('claude') ? [`{"reasoningContent":{"signature":"${secret}"}}`] : []),
      ],
    });
  if (said.text !== undefined) blocks.push({ deltas: halves(said.text).map((piece) => `{"text":${json(piece)}}`) });
  const uses = callsOf(said, turn, 'tooluse_');
  for (const { id, name, args } of uses)
    blocks.push({
      start: `{"toolUse":{"name":${json(name)},"toolUseId":${json(id)}}}`,
      deltas: halves(args).map((piece) => `{"toolUse":{"input":${json(piece)}}}`),
    });
  return [
    event('messageStart', '"role":"assistant"'),
    ...blocks.flatMap(({ start, deltas }, index) => [
      ...(start ? [event('contentBlockStart', `"contentBlockIndex":${index},"start":${start}`)] : []),
      ...deltas.map((delta) => event('contentBlockDelta', `"contentBlockIndex":${index},"delta":${delta}`)),
      event('contentBlockStop', `"contentBlockIndex":${index}`),
    ]),
    event('messageStop', `"stopReason":"${uses.length > 0 ? 'tool_use' : 'end_turn'}"`),
    event('metadata', '"usage":{"inputTokens":9,"outputTokens":3,"totalTokens":12},"metrics":{"latencyMs":9}'),
  ];
};

const cohere: Events = (_, said, turn) => {
  const event = (type: string, rest: string): SseEvent => [type, `{"type":"${type}",${rest}}`];
  const message = (rest: string): string => `"delta":{"message":{${rest}}}`;
  const uses = callsOf(said, turn, 'lookup_');
  const isPlan = uses.length > 0 && said.thought === undefined;
  const parts = [
    ...(said.thought === undefined ? [] : [['thinking', said.thought] as const]),
    ...(said.text === undefined || isPlan ? [] : [['text', said.text] as const]),
  ];
  return [
    event(
      'message-start',
      `"id":"c-${turn}",${message('"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]')}`,
    ),
    ...parts.flatMap(([name, text], index) => [
      event('content-start', `"index":${index},${message(`"content":{"type":"${name}","${name}":""}`)}`),
      ...halves(text).map((piece) =>
        event('content-delta', `"index":${index},${message(`"content":{"${name}":${json(piece)}}`)}`),
      ),
      event('content-end', `"index":${index}`),
    ]),
    ...(isPlan && said.text !== undefined
      ? halves(said.text).map((piece) => event('tool-plan-delta', message(`"tool_plan":${json(piece)}`)))
      : []),
    ...uses.flatMap(({ id, name, args }, index) => [
      event(
        'tool-call-start',
        `"index":${index},${message(`"tool_calls":{"id":${json(id)},"type":"function","function":{"name":${json(name)},"arguments":""}}`)}`,
      ),
      ...halves(args).map((piece) =>
        event(
          'tool-call-delta',
          `"index":${index},${message(`"tool_calls":{"function":{"arguments":${json(piece)}}}`)}`,
        ),
      ),
      event('tool-call-end', `"index":${index}`),
    ]),
    event(
      'message-end',
      `"delta":{"finish_reason":"${uses.length > 0 ? 'TOOL_CALL' : 'COMPLETE'}","usage":{"tokens":{"input_tokens":9,"output_tokens":3}}}`,
    ),
  ];
};

const EVENTS: Readonly<Record<Api['id'], Events>> = {
  'anthropic-messages': anthropic,
  'bedrock-converse': bedrock,
  'cohere-chat': cohere,
  'google-generatecontent': google,
  'google-interactions': interactions,
  'openai-chat': chat,
  'openai-responses': responses,
};
