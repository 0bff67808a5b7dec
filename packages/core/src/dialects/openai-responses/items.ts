import { elementTexts, isObject, type JsonObject, parseJson } from '../../json/index.ts';
import { ProtocolError } from '../reply.ts';
import { DIALECT } from './provider.ts';

/** One element of `input` or `output`. */
export interface Item {
  readonly value: unknown;
  readonly text: string;
}

/** Reads the items of a message: a model's turn is an array of items, everything else a single item. */
export function readItems(raw: string): { readonly items: readonly Item[]; readonly isTurn: boolean } {
  const value = parseJson(raw);
  if (Array.isArray(value))
    return { items: elementTexts(raw).map((text, index) => ({ text, value: value[index] })), isTurn: true };
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'a message is an item or a list of items', raw);
  return { items: [{ text: raw.trim(), value }], isTurn: false };
}

/** The type of an item. Messages and item references may leave it out. */
export function itemType(item: JsonObject): string | undefined {
  if (typeof item.type === 'string') return item.type;
  if (item.role !== undefined) return 'message';
  return item.id === undefined ? undefined : 'item_reference';
}

/** Whether an item is a message of the assistant, which a client may have written, too. */
export function isAssistantMessage(item: unknown): item is JsonObject & { readonly role: 'assistant' } {
  return isObject(item) && itemType(item) === 'message' && item.role === 'assistant';
}

export function isReasoning(item: unknown): item is JsonObject & { readonly type: 'reasoning' } {
  return isObject(item) && item.type === 'reasoning';
}

/** Items that clients write. */
const CLIENT_ITEMS = /_(?:output|response|reference|trigger|update)$/;

/**
 * Whether the API issued this item, so that it belongs to a model's turn. That includes outputs of tools that ran on the
 * server: of a program always, of a search if it says so, of a shell if the API gave it an id.
 */
export function isModelItem(item: unknown): boolean {
  if (!isObject(item) || isAssistantMessage(item)) return true;
  const type = itemType(item);
  if (type === 'program_output') return true;
  if (type === 'tool_search_output') return item.execution === 'server';
  if (type === 'shell_call_output') return typeof item.id === 'string';
  return type !== undefined && item.role === undefined && !CLIENT_ITEMS.test(type);
}
