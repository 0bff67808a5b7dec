import { elementTexts, isObject, parseJson, textAt } from '../../json/index.ts';
import { addDialect } from '../added.ts';
import type { Dialect, DialectSpec, RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { readRest, readTool } from '../request.ts';
import { DIALECT, googleInteractionsHome } from './provider.ts';
import { readReply, view } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { readParams } from './rules.ts';
import { inputText, isContent, isModelStep, turnText } from './steps.ts';
import { writer } from './write-request.ts';

export const googleInteractionsSpec: DialectSpec = {
  id: DIALECT,
  home: googleInteractionsHome,
  view,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Google Interactions',
  endpoints: [
    { operation: 'ask', method: 'POST', path: /\/interactions$/ },
    { operation: 'poll', method: 'GET', path: /\/interactions\/(?<response>[\w-]+)$/ },
    { operation: 'poll', method: 'POST', path: /\/interactions\/(?<response>[\w-]+)\/cancel$/ },
  ],
  members: { messages: 'input', system: ['system_instruction'] },
  continuation(envelope) {
    const token = textAt(envelope, ['continuation_token']);
    return token?.startsWith('"') ? { continuation_token: parseJson(token) } : undefined;
  },
  serverState: async () => (await import('./server-state.ts')).serverState,
  output: {
    schema: {
      body: (schema) => ({ response_format: { type: 'text', mime_type: 'application/json', schema } }),
      closes: false,
      onlyClosed: false,
      without: [],
    },
    image: { body: { response_format: [{ type: 'text' }, { type: 'image' }] } },
  },
};

/**
 * Google's Interactions API of the Gemini models. A message is a list of the model's steps, or one step of a client, in its
 * exact text. A run that names a provider of it loads it, and so does whoever imports this file.
 *
 * @example
 * const answer = await run({ model: 'google-interactions/gemini-3.6-flash', messages: [user('Hello')] }).text;
 */
export const googleInteractions: Dialect = addDialect(googleInteractionsSpec);

/**
 * Reads a request body. What it continues on the server (`previous_interaction_id`, `continuation_token`) is in `rest`,
 * and so is an `agent`, whose name counts as that of the model.
 */
function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || (value.input === undefined && typeof value.continuation_token !== 'string'))
    throw new ProtocolError(DIALECT, 'the request has no "input"', body);
  const { params, taken, left } = readParams(body, value);
  const take = (name: string, isTaken: boolean): string | undefined => {
    if (!isTaken) return undefined;
    taken.push(name);
    return textAt(body, [name]);
  };
  const instruction = take('system_instruction', typeof value.system_instruction === 'string');
  const input = take('input', typeof value.input === 'string' || typeof value.input === 'object');
  const tools = take('tools', Array.isArray(value.tools));
  take('model', typeof value.model === 'string');
  return {
    model: value.model ?? value.agent,
    system: instruction && `{"role":"system","content":${instruction}}`,
    messages: input === undefined ? [] : readMessages(input, value.input),
    tools: tools === undefined ? [] : elementTexts(tools).map((text) => readTool(DIALECT, text, [], 'parameters')),
    params,
    rest: { ...readRest(body, taken), ...left },
  };
}

/**
 * The messages in `input`: a string, one content, or a list of contents or steps. Consecutive steps of the model are one
 * message, as they were in the reply; consecutive contents are one step.
 */
function readMessages(input: string, value: unknown): string[] {
  if (typeof value === 'string') return [inputText(`[{"type":"text","text":${input}}]`)];
  if (!Array.isArray(value)) return value === null ? [] : [isContent(value) ? inputText(turnText([input])) : input];
  const groups: { readonly kind: 'turn' | 'contents' | 'step'; readonly texts: string[] }[] = [];
  elementTexts(input).forEach((text, index) => {
    const kind = isContent(value[index]) ? 'contents' : isModelStep(value[index]) ? 'turn' : 'step';
    const last = groups.at(-1);
    if (kind !== 'step' && last?.kind === kind) last.texts.push(text);
    else groups.push({ kind, texts: [text] });
  });
  return groups.map(({ kind, texts }) => {
    if (kind === 'step') return texts[0]!;
    return kind === 'turn' ? turnText(texts) : inputText(turnText(texts));
  });
}
