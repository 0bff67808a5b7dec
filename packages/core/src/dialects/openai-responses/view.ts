import { digest, isObject, type JsonObject, memberOf, parseJson } from '../../json/index.ts';
import type { ContentBlock, MessageView, Origin, Role } from '../../message/index.ts';
import { blocksOfContent } from './content-view.ts';
import { type Item, isAssistantMessage, isModelItem, itemsOf, itemType } from './items.ts';
import { needsOf } from './needs.ts';

/** A model's turn, `[item,item,…]`, or one item that a client wrote. */
export function viewOf(raw: string, origin: Origin): MessageView {
  const { items, isTurn } = itemsOf(raw);
  const role = isTurn ? 'assistant' : roleOf(items[0]!.value as JsonObject);
  const content = items.flatMap((item, index) =>
    role === 'assistant' ? blocksOfItem(item, index) : blocksOfInput(item),
  );
  return { role, content, needs: needsOf(items, origin) };
}

function roleOf(item: JsonObject): Role {
  const type = itemType(item);
  if (type === 'message') {
    if (item.role === 'user' || item.role === 'assistant') return item.role;
    return item.role === 'system' || item.role === 'developer' ? 'system' : 'other';
  }
  if (isModelItem(item)) return 'assistant';
  return type?.endsWith('_output') ? 'tool' : 'other';
}

/** What a model's item shows. Tools of the provider and whatever else has no block of its own stay `unknown`. */
export function blocksOfItem(item: Item, index: number): ContentBlock[] {
  const { value, text, start, end } = item;
  const unknown: ContentBlock = { type: 'unknown', native: text.slice(start, end) };
  if (!isObject(value)) return [unknown];
  if (isAssistantMessage(value)) return contentOf(item, value, 'content');
  switch (value.type) {
    case 'reasoning':
      return [reasoningOf(value)];
    case 'function_call':
      return typeof value.name === 'string' ? [functionCall(item, value, value.name, index)] : [unknown];
    case 'custom_tool_call':
      return typeof value.name === 'string' ? [customCall(item, value, value.name, index)] : [unknown];
    default:
      return [unknown];
  }
}

/** What a client's item shows. */
function blocksOfInput(item: Item): ContentBlock[] {
  const { text, start, end } = item;
  const value = item.value as JsonObject;
  const type = itemType(value);
  if (type === 'message') return contentOf(item, value, 'content');
  if (!ANSWERS.has(type)) return [{ type: 'unknown', native: text.slice(start, end) }];
  const toolCallId =
    typeof value.call_id === 'string'
      ? value.call_id
      : `skn_fn_0_${typeof value.name === 'string' ? value.name : 'tool'}`;
  return [{ type: 'tool-result', toolCallId, content: contentOf(item, value, 'output'), isError: false }];
}

const ANSWERS: ReadonlySet<unknown> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'computer_call_output',
]);

function contentOf({ text, start }: Item, value: JsonObject, name: 'content' | 'output'): ContentBlock[] {
  if (value[name] === undefined || value[name] === null) return [];
  return blocksOfContent(text, memberOf(text, start, name)!.start, value[name]);
}

function functionCall(item: Item, value: JsonObject, name: string, index: number): ContentBlock {
  const rawParameters = typeof value.arguments === 'string' ? value.arguments : (memberText(item, 'arguments') ?? '');
  return { type: 'tool-use', id: callId(item, value, index), name, parameters: objectIn(rawParameters), rawParameters };
}

function customCall(item: Item, value: JsonObject, name: string, index: number): ContentBlock {
  const rawParameters = `{"input":${memberText(item, 'input') ?? '""'}}`;
  const parameters = { input: value.input ?? '' };
  return { type: 'tool-use', id: callId(item, value, index), name, parameters, rawParameters, form: 'custom' };
}

function callId(item: Item, value: JsonObject, index: number): string {
  if (typeof value.call_id === 'string' && value.call_id !== '') return value.call_id;
  return `skn_${digest(item.text).slice(0, 12)}_${index}`;
}

function memberText({ text, start }: Item, name: string): string | undefined {
  const member = memberOf(text, start, name);
  return member && text.slice(member.start, member.end);
}

function objectIn(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function reasoningOf(value: JsonObject): ContentBlock {
  const texts = [value.summary, value.content].flatMap((list) =>
    Array.isArray(list)
      ? list.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? part.text : []))
      : [],
  );
  const text = texts.join('\n\n');
  return { type: 'reasoning', text, redacted: text === '' && typeof value.encrypted_content === 'string' };
}
