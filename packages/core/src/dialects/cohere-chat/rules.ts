import { isJson, isObject, type JsonObject } from '../../json/index.ts';

// What the API refuses in its own messages: the view reports it as needs, and writing a request repairs it.

/** The calls of a message; anything else in their list is passed over. */
export function callsIn(message: JsonObject): readonly JsonObject[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
}

/** The arguments of a call as the model wrote them. */
export function argumentsOf({ function: called }: JsonObject): string {
  return isObject(called) && typeof called.arguments === 'string' ? called.arguments : '';
}

/** `tool-arguments`: models write `null` for none, and that is taken back. */
export function hasBadArguments(call: JsonObject): boolean {
  const text = argumentsOf(call);
  return text !== '' && !isJson(text);
}

/** `empty-text` */
export function isEmptyText(part: unknown): boolean {
  return isObject(part) && (part.type === 'text' ? part.text === '' : part.type === 'thinking' && part.thinking === '');
}

/** `empty-content`: neither content nor calls. A result may be empty. */
export function saysNothing(message: JsonObject): boolean {
  if (message.role === 'tool' || callsIn(message).length > 0) return false;
  const { content } = message;
  if (!Array.isArray(content)) return typeof content !== 'string' || content === '';
  return content.every(isEmptyText);
}
