import { isObject, mapElements, parseJson } from '../../json/index.ts';
import type { DialectSpec, RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { readRest, readSimpleParams, readTool } from '../request.ts';
import { DIALECT, openaiChatHome } from './provider.ts';
import { readReply, view } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { PARAM_NAMES } from './rules.ts';
import { writer } from './write-request.ts';

/** OpenAI's Chat Completions, and what the many compatible providers made of it. */
export const openaiChatSpec: DialectSpec = {
  id: DIALECT,
  home: openaiChatHome,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'OpenAI chat completions',
  endpoints: [{ operation: 'ask', method: 'POST', path: /\/chat\/completions$/ }],
  members: { messages: 'messages', system: [] },
  output: {
    schema: {
      body: (schema, strict) => ({
        response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict } },
      }),
      closes: true,
      onlyClosed: false,
      without: [],
    },
    image: { body: { modalities: ['image', 'text'] } },
  },
};

/** Reads a request body. Every top-level member goes to exactly one place of the result. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError(DIALECT, 'the request has no "messages"', body);
  const { model, tools } = value;
  const limit = PARAM_NAMES.maxTokens in value ? PARAM_NAMES.maxTokens : 'max_tokens';
  const { params, taken } = readSimpleParams(value, { ...PARAM_NAMES, maxTokens: limit });
  if (typeof model === 'string') taken.push('model');
  if (Array.isArray(tools)) taken.push('tools');
  return {
    model,
    system: undefined,
    messages: mapElements(body, value, 'messages', (_, text) => text),
    tools: mapElements(body, value, 'tools', (_, text) => readTool(DIALECT, text, ['function'], 'parameters')),
    params,
    rest: readRest(body, ['messages', ...taken]),
  };
}
