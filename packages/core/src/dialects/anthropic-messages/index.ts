import { elementTexts, isObject, parseJson, textAt } from '../../json/index.ts';
import type { DialectSpec, RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { readRest, readSimpleParams, readTool } from '../request.ts';
import { anthropic, DIALECT } from './provider.ts';
import { readReply, view } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { PARAM_NAMES } from './rules.ts';
import { writer } from './write-request.ts';

/** `POST /v1/messages` */
export const anthropicMessagesSpec: DialectSpec = {
  id: DIALECT,
  home: anthropic,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Anthropic messages',
  // The API itself, Bedrock and Vertex.
  endpoints: [
    { operation: 'ask', method: 'POST', path: /\/v1\/messages$/ },
    {
      operation: 'ask',
      method: 'POST',
      path: /\/model\/(?<model>[^/]*(?:anthropic|claude)[^/]*)\/invoke(?:-with-response-stream)?$/,
    },
    {
      operation: 'ask',
      method: 'POST',
      path: /\/publishers\/anthropic\/models\/(?<model>[^/:]+):(?:streamR|r)awPredict$/,
    },
  ],
  members: { messages: 'messages', system: ['system'] },
  requestHeaders: async () => (await import('./betas.ts')).findHeaders,
  cacheDiagnosis: async () => (await import('./cache-diagnosis.ts')).cacheDiagnosis,
  serverState: async () => (await import('./server-state.ts')).serverState,
  output: {
    schema: {
      body: (schema) => ({ output_config: { format: { type: 'json_schema', schema } } }),
      closes: true,
      onlyClosed: true,
      without: [
        ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
        ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems'],
      ],
    },
  },
};

/** Reads a request body. Every top-level member goes to exactly one place of the result. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError(DIALECT, 'the request has no list of "messages"', body);
  const { params, taken } = readSimpleParams(value, PARAM_NAMES);
  const system = value.system === null ? undefined : textAt(body, ['system']);
  return {
    model: value.model,
    system: system === undefined ? undefined : `{"role":"system","content":${system}}`,
    messages: elementTexts(textAt(body, ['messages'])!),
    tools: Array.isArray(value.tools)
      ? elementTexts(textAt(body, ['tools'])!).map((text) => readTool(DIALECT, text, [], 'input_schema'))
      : [],
    params,
    rest: readRest(body, ['messages', 'model', 'system', 'tools', ...taken]),
  };
}
