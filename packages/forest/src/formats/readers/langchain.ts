import { assistant, isObject, type Message, system, toolResult, user } from '@skein/core';
import type { TakeFacts } from '../../forest/write/append.ts';
import { wrongShape } from '../format-error.ts';
import { type Exact, membersWithout, objectAt, readJson, readObjects, textIn } from '../source/exact.ts';
import { langchainCalls, langchainContent } from './langchain-content.ts';
import { lineUp, unknownMessage } from './line-up.ts';
import type { Reader } from './reader.ts';

/** LangChain's stored messages: `{"type":"human","data":{…}}`, or serialised objects with their class. */
export const langchain: Reader = {
  element: 'message',
  read(text) {
    const list = readJson(text);
    if (!Array.isArray(list)) throw wrongShape('a list of stored messages');
    return { messages: lineUp(readObjects(text, list, 'a stored message').map(readStored)) };
  },
};

const TAKEN = ['content', 'tool_calls', 'tool_call_id'];

function readStored(stored: Exact, index: number) {
  const data = objectAt(stored, 'lc' in stored.value ? 'kwargs' : 'data');
  const type = typeOf(stored.value);
  if (!data || type === undefined)
    throw wrongShape(`{"type":…,"data":{…}} or {"lc":1,"id":[…],"kwargs":{…}} as message ${index}`);
  const message = written(type, data, index);
  const extra = { type, ...membersWithout(data, TAKEN) };
  return { message, take: { extra, ...(message.role === 'assistant' && modelFacts(data)) } };
}

/** `human` and the like; a class such as `HumanMessage` or `AIMessageChunk` says the same. */
function typeOf({ type, id }: Exact['value']): string | undefined {
  const name = Array.isArray(id) ? id.at(-1) : type;
  return typeof name === 'string' ? name.toLowerCase().replace(/message(chunk)?$/, '') : undefined;
}

function written(type: string, data: Exact, index: number): Message {
  const { value } = data;
  const content = langchainContent(data);
  switch (type === 'chat' || type === 'generic' ? String(value.role) : type) {
    case 'human':
    case 'user':
      return user(content);
    case 'ai':
    case 'assistant':
      return assistant([...content, ...langchainCalls(data)]);
    case 'system':
    case 'developer':
      return system(content);
    case 'tool':
    case 'function': {
      const callId = textIn(value, 'tool_call_id') ?? textIn(value, 'name');
      if (callId === undefined) throw wrongShape(`"tool_call_id" or "name" in message ${index}`);
      return toolResult(callId, content, { isError: value.status === 'error' });
    }
    default:
      return unknownMessage(data.text);
  }
}

function modelFacts(data: Exact): TakeFacts {
  const response = isObject(data.value.response_metadata) ? data.value.response_metadata : {};
  const model = textIn(response, 'model_name') ?? textIn(response, 'model');
  const usage = objectAt(data, 'usage_metadata');
  return { author: 'model', ...(model && { model }), ...(usage && { usage: usageOf(usage) }) };
}

function usageOf({ text, value }: Exact): NonNullable<TakeFacts['usage']> {
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
