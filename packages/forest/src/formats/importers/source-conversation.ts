import { assistant, type ContentBlock, isObject, type Message, toolResult, user } from '@skein/core';
import type { TakeFacts } from '../../forest/index.ts';
import type { ImportedMessage } from '../importer.ts';
import { textMember } from '../source/exact-json.ts';

/** A message with its time and the facts about it. */
export interface MessageWithFacts {
  readonly message: Message;
  readonly at?: number | undefined;
  readonly take?: TakeFacts;
}

/**
 * Turns a list into a conversation without branches: each message follows the one before it.
 *
 * @example
 * chainMessages([{ message: user('Hello') }, { message: assistant('Hi') }]);
 */
export function chainMessages(messages: readonly MessageWithFacts[]): ImportedMessage[] {
  return messages.map((known, index) => ({
    ...known,
    key: String(index),
    parent: index === 0 ? undefined : String(index - 1),
  }));
}

/** A message with an unknown author: kept as an unknown block, and never sent. */
export function unknownMessage(native: string): Message {
  return user([{ type: 'unknown', native }]);
}

/** A tool result inside a message of the assistant. */
export interface ToolAnswer {
  readonly callId: string;
  readonly content: string | readonly ContentBlock[];
  readonly isError: boolean;
}

/**
 * Splits a message that holds calls, their results and what the assistant said next, as some sources have it. Each turn
 * gets its own messages: text and calls, the results, then what followed.
 */
export function splitTurns(items: readonly (ContentBlock | { readonly result: ToolAnswer })[]): Message[] {
  const messages: Message[] = [];
  let said: ContentBlock[] = [];
  let results: ToolAnswer[] = [];
  const flush = () => {
    if (said.length > 0) messages.push(assistant(said));
    for (const { callId, content, isError } of results) messages.push(toolResult(callId, content, { isError }));
    said = [];
    results = [];
  };
  for (const item of items) {
    if ('result' in item) results.push(item.result);
    else {
      // Parallel calls come before their results.
      if (results.length > 0 && (item.type !== 'tool-use' || hasCallsBefore(said, results))) flush();
      said.push(item);
    }
  }
  flush();
  return messages.length > 0 ? messages : [assistant([])];
}

/** Whether every call so far has a result, so that another turn begins. */
function hasCallsBefore(said: readonly ContentBlock[], results: readonly ToolAnswer[]): boolean {
  return said.filter(({ type }) => type === 'tool-use').length <= results.length;
}

/**
 * Reads a file from an object with an address or data. `types` and `names` are the members that may hold media type and
 * name.
 */
export function readMedia(
  value: unknown,
  types: readonly string[],
  names: readonly string[],
  native: string,
): ContentBlock {
  if (!isObject(value)) return { type: 'unknown', native };
  const first = (members: readonly string[]) => members.map((member) => textMember(value, member)).find(Boolean);
  const address = textMember(value, 'url') ?? textMember(value, 'data');
  if (address === undefined) return { type: 'unknown', native };
  const name = first(names);
  return toMedia(address, first(types), name);
}

/**
 * Makes a media block of an address. A `data:` address holds the data itself; a text that is no address is base64 data.
 */
export function toMedia(address: string, type?: string, name?: string): ContentBlock {
  const named = name === undefined ? {} : { name };
  const [, inline, data] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(address) ?? [];
  if (data !== undefined)
    return {
      type: 'media',
      mediaType: type ?? (inline || 'application/octet-stream'),
      source: { kind: 'base64', data },
      ...named,
    };
  const mediaType = type ?? 'application/octet-stream';
  const source = /^[a-z][a-z0-9+.-]*:/i.test(address)
    ? ({ kind: 'url', url: address } as const)
    : ({ kind: 'base64', data: address } as const);
  return { type: 'media', mediaType, source, ...named };
}
