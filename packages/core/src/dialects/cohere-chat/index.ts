import { elementTexts, isObject, parseJson, textAt } from '../../json/index.ts';
import { addDialect } from '../added.ts';
import type { Dialect, DialectSpec, RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { readRest, readSimpleParams, readTool } from '../request.ts';
import { cohere, DIALECT } from './provider.ts';
import { readReply, view } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { CHOICES, PARAM_NAMES } from './rules.ts';
import { writer } from './write-request.ts';

export const cohereChatSpec: DialectSpec = {
  id: DIALECT,
  home: cohere,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Cohere chat',
  endpoints: [{ operation: 'ask', method: 'POST', path: /\/v2\/chat$/ }],
  members: { messages: 'messages', system: [] },
  output: {
    schema: {
      body: (schema) => ({ response_format: { type: 'json_object', json_schema: schema } }),
      closes: false,
      onlyClosed: false,
      without: ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'uniqueItems'],
    },
  },
};

/**
 * Cohere's chat API, version 2. A run that names a provider of it loads it, and so does whoever imports this file.
 *
 * @example
 * const answer = await run({ model: 'cohere/command-a-03-2025', messages: [user('Hello')] }).text;
 */
export const cohereChat: Dialect = addDialect(cohereChatSpec);

/** Reads a request body. Every top-level member goes to exactly one place of the result. */
function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError(DIALECT, 'the request has no list of "messages"', body);
  const { params, taken } = readSimpleParams(value, PARAM_NAMES);
  const choice = CHOICES.find(([, native]) => native === value.tool_choice)?.[0];
  return {
    model: value.model,
    system: undefined,
    messages: elementTexts(textAt(body, ['messages'])!),
    tools: Array.isArray(value.tools)
      ? elementTexts(textAt(body, ['tools'])!).map((text) => readTool(DIALECT, text, ['function'], 'parameters'))
      : [],
    params: choice ? { ...params, toolChoice: choice } : params,
    rest: readRest(body, ['messages', 'model', 'tools', ...(choice ? ['tool_choice'] : []), ...taken]),
  };
}
