import { findMembers, isObject, mapElements, parseJson, textAt } from '../../json/index.ts';
import { viewBlocks } from '../../message/index.ts';
import type { DialectSpec, RawRequest } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import type { RequestParams, ToolDefinition } from '../request.ts';
import { skein } from './provider.ts';
import { readReply } from './read-response.ts';
import { assemble } from './read-stream.ts';
import { writer } from './write-request.ts';

/** Skein's own content-block JSON as a protocol. */
export const blocksSpec: DialectSpec = {
  id: skein.dialect,
  home: skein,
  view: viewBlocks,
  readReply,
  assemble,
  readRequest,
  writer,
  title: 'Blocks of Skein',
  members: { messages: 'messages', system: [] },
};

/** `{"model":…,"tools":[…],"messages":[…],"params":{…}}`; system messages stand in the list. */
function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError('blocks', 'the request has no "messages"', body);
  const rest: Record<string, string> = {};
  for (const member of findMembers(body)) {
    if (!['model', 'tools', 'messages', 'params'].includes(member.name))
      rest[member.name] = body.slice(member.start, member.end);
  }
  return {
    model: value.model,
    system: undefined,
    messages: mapElements(body, value, 'messages', (_, text) => text),
    tools: mapElements(body, value, 'tools', (_, text) => readTool(text)),
    params: isObject(value.params) ? (value.params as RequestParams) : {},
    rest,
  };
}

function readTool(text: string): ToolDefinition {
  const value = parseJson(text);
  const parameters = textAt(text, ['parameters']);
  if (!isObject(value) || typeof value.name !== 'string' || parameters === undefined)
    return { dialect: 'blocks', native: text };
  return {
    name: value.name,
    ...(typeof value.description === 'string' && { description: value.description }),
    parameters,
  };
}
