import {
  assistant,
  type ContentBlock,
  isObject,
  type JsonObject,
  type Message,
  system,
  textAt,
  toolResult,
  user,
} from '@skein/core';
import type { TakeFacts } from '../../forest/index.ts';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter } from '../importer.ts';
import {
  argumentsText,
  type ExactObject,
  objectAt,
  otherMembers,
  readJson,
  readObjects,
  textMember,
} from '../source/exact-json.ts';
import { chainMessages, readMedia, toMedia, unknownMessage } from './source-conversation.ts';

/** LangChain's stored messages: `{"type":"human","data":{…}}`, or serialised objects with their class. */
export const langchain: BuiltInImporter = {
  recognisedBy: 'objects with "lc" and "kwargs", or with a "type" such as "human" and "data"',
  detects: ({ lc, kwargs, type, data }) =>
    (typeof lc === 'number' && isObject(kwargs)) || (typeof type === 'string' && isObject(data) && 'content' in data),
  element: 'message',
  read(text) {
    const list = readJson(text);
    if (!Array.isArray(list)) throw wrongShape('a list of stored messages');
    return { messages: chainMessages(readObjects(text, list, 'a stored message').map(readStored)) };
  },
};

const TAKEN = ['content', 'tool_calls', 'tool_call_id'];

function readStored(stored: ExactObject, index: number) {
  const data = objectAt(stored, 'lc' in stored.value ? 'kwargs' : 'data');
  const type = messageType(stored.value);
  if (!data || type === undefined)
    throw wrongShape(`{"type":…,"data":{…}} or {"lc":1,"id":[…],"kwargs":{…}} as message ${index}`);
  const message = writeMessage(type, data, index);
  const extra = { type, ...otherMembers(data, TAKEN) };
  return { message, take: { extra, ...(message.role === 'assistant' && modelFacts(data)) } };
}

/** The type of a message, such as `human`; class names such as `HumanMessage` or `AIMessageChunk` mean the same. */
function messageType({ type, id }: ExactObject['value']): string | undefined {
  const name = Array.isArray(id) ? id.at(-1) : type;
  return typeof name === 'string' ? name.toLowerCase().replace(/message(chunk)?$/, '') : undefined;
}

function writeMessage(type: string, data: ExactObject, index: number): Message {
  const { value } = data;
  const content = readContent(data);
  switch (type === 'chat' || type === 'generic' ? String(value.role) : type) {
    case 'human':
    case 'user':
      return user(content);
    case 'ai':
    case 'assistant':
      return assistant([...content, ...readCalls(data)]);
    case 'system':
    case 'developer':
      return system(content);
    case 'tool':
    case 'function': {
      const callId = textMember(value, 'tool_call_id') ?? textMember(value, 'name');
      if (callId === undefined) throw wrongShape(`"tool_call_id" or "name" in message ${index}`);
      return toolResult(callId, content, { isError: value.status === 'error' });
    }
    default:
      return unknownMessage(data.text);
  }
}

function modelFacts(data: ExactObject): TakeFacts {
  const response = isObject(data.value.response_metadata) ? data.value.response_metadata : {};
  const model = textMember(response, 'model_name') ?? textMember(response, 'model');
  const usage = objectAt(data, 'usage_metadata');
  return { author: 'model', ...(model && { model }), ...(usage && { usage: readUsage(usage) }) };
}

function readUsage({ text, value }: ExactObject): NonNullable<TakeFacts['usage']> {
  const count = (from: unknown, name: string) => {
    const number = isObject(from) ? from[name] : undefined;
    return typeof number === 'number' && number > 0 ? number : 0;
  };
  const { input_token_details: input, output_token_details: output } = value;
  const cacheRead = count(input, 'cache_read');
  const cacheWrite5m = count(input, 'cache_creation');
  const reasoning = count(output, 'reasoning');
  return {
    input: Math.max(0, count(value, 'input_tokens') - cacheRead - cacheWrite5m),
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: Math.max(0, count(value, 'output_tokens') - reasoning),
    reasoning,
    native: text,
  };
}

/** Reads the content of a stored message, without calls: `readCalls` reads those. */
function readContent({ text, value }: ExactObject): ContentBlock[] {
  const { content } = value;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part, index) => readPart(part, textAt(text, ['content', index])!));
}

function readPart(part: unknown, native: string): ContentBlock[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }];
  if (!isObject(part)) return [{ type: 'unknown', native }];
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : [{ type: 'unknown', native }];
    case 'thinking':
    case 'reasoning': {
      const thought = textMember(part, 'thinking') ?? textMember(part, 'reasoning');
      // Signed reasoning is meaningful to its provider only, so it is kept as it is.
      if (thought === undefined || 'signature' in part) return [{ type: 'unknown', native }];
      return [{ type: 'reasoning', text: thought, redacted: false }];
    }
    case 'image_url': {
      const address = isObject(part.image_url) ? part.image_url.url : part.image_url;
      return typeof address === 'string' ? [toMedia(address, imageType(address))] : [{ type: 'unknown', native }];
    }
    case 'image':
    case 'audio':
    case 'file':
      return [readMedia(part, ['mimeType', 'mime_type'], ['name', 'filename'], native)];
    case 'tool_use':
    case 'tool_call':
    case 'input_json_delta':
      return [];
    default:
      return [{ type: 'unknown', native }];
  }
}

function imageType(address: string): string | undefined {
  return address.startsWith('data:') ? undefined : 'image/*';
}

/** Reads the calls of an answer: LangChain's own list, or the provider's. */
function readCalls(data: ExactObject): ContentBlock[] {
  const { text, value } = data;
  const own = Array.isArray(value.tool_calls) ? value.tool_calls : [];
  if (own.length > 0)
    return own.map((call, index) => {
      const native = textAt(text, ['tool_calls', index])!;
      return isObject(call) ? toCall(call, call.args, textAt(native, ['args']), native) : { type: 'unknown', native };
    });
  const more = isObject(value.additional_kwargs) ? value.additional_kwargs : {};
  const native = Array.isArray(more.tool_calls) ? more.tool_calls : [];
  const calls = native.map((call, index): ContentBlock => {
    const exact = textAt(text, ['additional_kwargs', 'tool_calls', index])!;
    if (!isObject(call) || !isObject(call.function)) return { type: 'unknown', native: exact };
    return toCall({ ...call, name: call.function.name }, call.function.arguments, undefined, exact);
  });
  if (calls.length > 0 || !isObject(more.function_call)) return calls;
  const { name, arguments: input } = more.function_call;
  return [toCall({ id: name, name }, input, undefined, JSON.stringify(more.function_call))];
}

function toCall(call: JsonObject, input: unknown, text: string | undefined, native: string): ContentBlock {
  const { id, name } = call;
  if (typeof name !== 'string') return { type: 'unknown', native };
  const callId = typeof id === 'string' && id !== '' ? id : name;
  return { type: 'tool-use', id: callId, name, parameters: {}, rawParameters: argumentsText(input, text) };
}
