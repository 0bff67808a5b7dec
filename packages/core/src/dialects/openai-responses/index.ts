import { elementTexts, isObject, parseJson, textAt } from '../../json/index.ts';
import type { DialectSpec, RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { readRest, readSimpleParams, readTool } from '../request.ts';
import { isModelItem } from './items.ts';
import { DIALECT, openai } from './provider.ts';
import { readReply, turnText, view } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { PARAM_NAMES } from './rules.ts';
import { writer } from './write-request.ts';

/** OpenAI's Responses API, and whoever speaks it. */
export const openaiResponsesSpec: DialectSpec = {
  id: DIALECT,
  home: openai,
  view: view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'OpenAI Responses',
  endpoints: [
    { operation: 'ask', method: 'POST', path: /\/responses$/ },
    { operation: 'poll', method: 'GET', path: /\/responses\/(?<response>resp[\w-]+)$/ },
    { operation: 'poll', method: 'POST', path: /\/responses\/(?<response>resp[\w-]+)\/cancel$/ },
  ],
  members: { messages: 'input', system: ['instructions'] },
  warmUp: { prompt_cache_options: { prewarm: true } },
  socket: async () => (await import('./socket.ts')).socket,
  cacheDiagnosis: async () => (await import('./cache-diagnosis.ts')).cacheDiagnosis,
  serverState: async () => (await import('./server-state.ts')).serverState,
  output: {
    schema: {
      body: (schema, strict) => ({ text: { format: { type: 'json_schema', name: 'output', schema, strict } } }),
      closes: true,
      onlyClosed: false,
      without: [],
    },
    image: { tools: [{ dialect: DIALECT, native: '{"type":"image_generation"}' }] },
  },
};

/** Reads a request body. What it continues on the server (`previous_response_id`, `conversation`) is in `rest`. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || (value.input === undefined && value.messages !== undefined))
    throw new ProtocolError(DIALECT, 'the request has no "input"', body);
  const { params, taken } = readSimpleParams(value, PARAM_NAMES);
  const take = (name: string, isTaken: boolean): string | undefined => {
    if (!isTaken) return undefined;
    taken.push(name);
    return textAt(body, [name]);
  };
  const instructions = take('instructions', typeof value.instructions === 'string');
  const input = take('input', typeof value.input === 'string' || Array.isArray(value.input));
  const tools = take('tools', Array.isArray(value.tools));
  const model = take('model', typeof value.model === 'string');
  return {
    model: model && (value.model as string),
    system: instructions && `{"role":"system","content":${instructions}}`,
    messages: input === undefined ? [] : groupMessages(input, value.input),
    tools: tools === undefined ? [] : elementTexts(tools).map((text) => readTool(DIALECT, text, [], 'parameters')),
    params,
    rest: readRest(body, taken),
  };
}

/** Groups consecutive items of the model into one message, as they were in the reply. */
function groupMessages(input: string, values: unknown): string[] {
  if (!Array.isArray(values)) return [`{"role":"user","content":${input}}`];
  const groups: (string | string[])[] = [];
  elementTexts(input).forEach((text, index) => {
    const last = groups.at(-1);
    if (!isModelItem(values[index])) groups.push(text);
    else if (Array.isArray(last)) last.push(text);
    else groups.push([text]);
  });
  return groups.map((group) => (typeof group === 'string' ? group : turnText(group)));
}
