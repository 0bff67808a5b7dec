import { type ContentBlock, isObject, type JsonObject, textAt } from '@skein/core';
import { argumentsText, type Exact, textIn } from '../source/exact.ts';
import { mediaAt, mediaFrom } from './media.ts';

/** The content of a stored message; calls that stand in it, too, are left for `langchainCalls`. */
export function langchainContent({ text, value }: Exact): ContentBlock[] {
  const { content } = value;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part, index) => partOf(part, textAt(text, ['content', index])!));
}

function partOf(part: unknown, native: string): ContentBlock[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }];
  if (!isObject(part)) return [{ type: 'unknown', native }];
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : [{ type: 'unknown', native }];
    case 'thinking':
    case 'reasoning': {
      const thought = textIn(part, 'thinking') ?? textIn(part, 'reasoning');
      // With a signature it means something to its provider: kept whole.
      if (thought === undefined || 'signature' in part) return [{ type: 'unknown', native }];
      return [{ type: 'reasoning', text: thought, redacted: false }];
    }
    case 'image_url': {
      const address = isObject(part.image_url) ? part.image_url.url : part.image_url;
      return typeof address === 'string' ? [mediaAt(address, imageType(address))] : [{ type: 'unknown', native }];
    }
    case 'image':
    case 'audio':
    case 'file':
      return [mediaFrom(part, ['mimeType', 'mime_type'], ['name', 'filename'], native)];
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

/** The calls of an answer: LangChain's own list, or what the provider called them. */
export function langchainCalls(data: Exact): ContentBlock[] {
  const { text, value } = data;
  const own = Array.isArray(value.tool_calls) ? value.tool_calls : [];
  if (own.length > 0)
    return own.map((call, index) => {
      const native = textAt(text, ['tool_calls', index])!;
      return isObject(call) ? callOf(call, call.args, textAt(native, ['args']), native) : { type: 'unknown', native };
    });
  const more = isObject(value.additional_kwargs) ? value.additional_kwargs : {};
  const native = Array.isArray(more.tool_calls) ? more.tool_calls : [];
  const calls = native.map((call, index): ContentBlock => {
    const exact = textAt(text, ['additional_kwargs', 'tool_calls', index])!;
    if (!isObject(call) || !isObject(call.function)) return { type: 'unknown', native: exact };
    return callOf({ ...call, name: call.function.name }, call.function.arguments, undefined, exact);
  });
  if (calls.length > 0 || !isObject(more.function_call)) return calls;
  const { name, arguments: input } = more.function_call;
  return [callOf({ id: name, name }, input, undefined, JSON.stringify(more.function_call))];
}

function callOf(call: JsonObject, input: unknown, text: string | undefined, native: string): ContentBlock {
  const { id, name } = call;
  if (typeof name !== 'string') return { type: 'unknown', native };
  const callId = typeof id === 'string' && id !== '' ? id : name;
  return { type: 'tool-use', id: callId, name, parameters: {}, rawParameters: argumentsText(input, text) };
}
