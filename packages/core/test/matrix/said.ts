/** What a model says, as the response body of each API: odd spacing, escapes, numbers and fields nobody knows included. */
import type { Api } from './apis.ts';

export interface Said {
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly Said.Call[];
}

export declare namespace Said {
  interface Call {
    readonly id?: string;
    readonly name?: string;
    /** JSON text of the arguments; whatever else a model may write there, too. */
    readonly args?: string;
  }
}

const ARGUMENTS = '{ "id": 2512292042121000001, "ratio":1.0,"name":"Zo\\u00eb" }';

/** A secret that only its issuer can read; base64, since one of the APIs wants that. */
export const secret = (api: Api, turn: number): string => btoa(`${api.id} secret ${turn}`);

export function responseBody(api: Api, model: string, said: Said, turn: number): string {
  return BODIES[api.id](model, said, turn, secret(api, turn));
}

type Body = (model: string, said: Said, turn: number, secret: string) => string;
const json = JSON.stringify;
const list = (texts: readonly (string | false | undefined)[]): string => texts.filter(Boolean).join(', ');
/** The calls with everything filled in; ids as that API makes them. */
export const callsOf = (said: Said, turn: number, prefix: string): Required<Said.Call>[] =>
  (said.calls ?? []).map((call, index) => ({
    id: call.id ?? `${prefix}${turn}x${index}`,
    name: call.name ?? 'lookup',
    args: call.args ?? ARGUMENTS,
  }));

/** Arguments that are not JSON can only arrive as a string where an object should stand. */
export const asValue = (text: string): string => {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return json(text);
  }
};

const anthropic: Body = (model, said, turn, secret) => {
  const uses = callsOf(said, turn, 'toolu_01');
  const blocks = list([
    said.thought !== undefined &&
      `{"type":"thinking", "thinking":${json(said.thought)},"signature":"${secret}","x_future":[1.0]}`,
    said.text !== undefined && `{"text":${json(said.text)},"type":"text" ,"citations":null}`,
    ...uses.map(
      ({ id, name, args }) =>
        `{"type":"tool_use","id":${json(id)},"name":${json(name)},"input":${asValue(args)},"caller":{"type":"direct"}}`,
    ),
  ]);
  const stop = uses.length > 0 ? 'tool_use' : 'end_turn';
  return `{"id":"msg_${turn}","type":"message","role":"assistant","model":"${model}","content":[${blocks}],"stop_reason":"${stop}","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`;
};

const google: Body = (model, said, turn, secret) => {
  const uses = callsOf(said, turn, 'gk3x');
  // From Gemini 3 on every first call is signed, whether its thoughts are shown or not.
  const signs = said.thought !== undefined || (uses.length > 0 && !model.startsWith('gemini-2'));
  const signed = signs ? `,"thoughtSignature":"${secret}"` : '';
  const parts = list([
    said.thought !== undefined && `{"text":${json(said.thought)},"thought":true}`,
    said.text !== undefined && `{"text":${json(said.text)},"xFuture":{"a":1.0}${uses.length > 0 ? '' : signed}}`,
    ...uses.map(
      ({ id, name, args }, index) =>
        `{"functionCall" : {"name":${json(name)},"args":${asValue(args)},"id":${json(id)}}${index === 0 ? signed : ''}}`,
    ),
  ]);
  const content = parts === '' ? '{"role":"model"}' : `{"parts":[${parts}], "role":"model"}`;
  return `{"candidates":[{"content":${content},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3},"modelVersion":"${model}"}`;
};

const interactions: Body = (model, said, turn, secret) => {
  const uses = callsOf(said, turn, 'ik3x');
  const steps = list([
    said.thought !== undefined &&
      `{"type":"thought","summary":[{"type":"text","text":${json(said.thought)}}], "signature":"${secret}"}`,
    said.text !== undefined &&
      `{"content":[ {"text":${json(said.text)},"type":"text","x_future":1.0}],"type":"model_output","x_step":{"a":1.0}}`,
    ...uses.map(
      ({ id, name, args }) =>
        `{"type":"function_call" ,"id":${json(id)},"name":${json(name)},"arguments":${asValue(args)}}`,
    ),
  ]);
  const status = uses.length > 0 ? 'requires_action' : 'completed';
  return `{"status":"${status}","usage":{"total_tokens":12,"total_input_tokens":9,"total_output_tokens":3},"steps":[${steps}],"object":"interaction","model":"${model}"}`;
};

const chat: Body = (model, said, turn) => {
  const uses = callsOf(said, turn, 'call_').map(
    ({ id, name, args }) =>
      `{"id":${json(id)},"type":"function", "function":{"name":${json(name)},"arguments":${json(args)}}}`,
  );
  const members = list([
    '"role":"assistant"',
    `"content":${said.text === undefined ? 'null' : json(said.text)}`,
    said.thought !== undefined && `"reasoning_content":${json(said.thought)}`,
    uses.length > 0 && `"tool_calls":[${list(uses)}]`,
    '"refusal":null,"annotations":[]',
  ]);
  const stop = uses.length > 0 ? 'tool_calls' : 'stop';
  return `{"id":"chatcmpl-${turn}","object":"chat.completion","created":1,"model":"${model}","choices":[{"index":0,"message":{${members}},"logprobs":null,"finish_reason":"${stop}"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`;
};

const responses: Body = (model, said, turn, secret) => {
  const items = list([
    said.thought !== undefined &&
      `{"id":"rs_${turn}","type":"reasoning","summary":[{"type":"summary_text","text":${json(said.thought)}}],"encrypted_content":"${secret}"}`,
    said.text !== undefined &&
      `{"id":"msg_${turn}","type":"message","status":"completed","phase":"final_answer","x_future":1.0,"content":[ {"type":"output_text","annotations":[],"logprobs":[],"text":${json(said.text)}}],"role":"assistant"}`,
    ...callsOf(said, turn, 'call_').map(
      ({ id, name, args }, index) =>
        `{"id":"fc_${turn}_${index}","type":"function_call","status":"completed","arguments":${json(args)},"call_id":${json(id)},"name":${json(name)}}`,
    ),
  ]);
  return `{"id":"resp_${turn}","object":"response","created_at":1,"status":"completed","error":null,"model":"${model}","output":[${items}],"usage":{"input_tokens":9,"output_tokens":3,"total_tokens":12}}`;
};

const bedrock: Body = (model, said, turn, secret) => {
  const uses = callsOf(said, turn, 'tooluse_');
  const signed = model.includes('claude') ? `, "signature":"${secret}"` : '';
  const blocks = list([
    said.thought !== undefined && `{"reasoningContent":{"reasoningText":{"text":${json(said.thought)}${signed}}}}`,
    said.text !== undefined && `{"text" :${json(said.text)},"xFuture":{"a":1.0}}`,
    ...uses.map(
      ({ id, name, args }) =>
        `{"toolUse":{"input":${asValue(args)},"name":${json(name)},"toolUseId":${json(id)},"xFuture":1.0}}`,
    ),
  ]);
  const stop = uses.length > 0 ? 'tool_use' : 'end_turn';
  return `{"metrics":{"latencyMs":9},"output":{"message":{"content":[${blocks}], "role":"assistant"}},"stopReason":"${stop}","usage":{"inputTokens":9,"outputTokens":3,"totalTokens":12}}`;
};

const cohere: Body = (_, said, turn) => {
  const uses = callsOf(said, turn, 'lookup_').map(
    ({ id, name, args }) =>
      `{"id":${json(id)},"type":"function", "function":{"name":${json(name)},"arguments":${json(args)}}}`,
  );
  // A model that does not think tells its plan before it calls.
  const isPlan = uses.length > 0 && said.thought === undefined;
  const parts = list([
    said.thought !== undefined && `{"type":"thinking","thinking":${json(said.thought)}}`,
    said.text !== undefined && !isPlan && `{"type":"text" ,"text":${json(said.text)},"x_future":1.0}`,
  ]);
  const members = list([
    '"role":"assistant"',
    isPlan && said.text !== undefined && `"tool_plan":${json(said.text)}`,
    uses.length > 0 && `"tool_calls":[${list(uses)}]`,
    parts !== '' && `"content":[${parts}]`,
  ]);
  const stop = uses.length > 0 ? 'TOOL_CALL' : 'COMPLETE';
  return `{"id":"c-${turn}","message":{${members}},"finish_reason":"${stop}","usage":{"billed_units":{"input_tokens":9,"output_tokens":3},"tokens":{"input_tokens":9,"output_tokens":3}}}`;
};

const BODIES: Readonly<Record<Api['id'], Body>> = {
  'anthropic-messages': anthropic,
  'bedrock-converse': bedrock,
  'cohere-chat': cohere,
  'google-generatecontent': google,
  'google-interactions': interactions,
  'openai-chat': chat,
  'openai-responses': responses,
};
