import { assistant, type ContentBlock, isObject, type Message, toolResult, user } from '@skein/core';
import type { TakeFacts } from '../../forest/index.ts';
import type { ImportedMessage } from '../importer.ts';
import { textMember } from '../source/exact-json.ts';

/** A message with what is known of it. */
export interface MessageWithFacts {
  readonly message: Message;
  readonly at?: number | undefined;
  readonly take?: TakeFacts;
}

/** Messages one below the other. */
export function chainMessages(messages: readonly MessageWithFacts[]): ImportedMessage[] {
  return messages.map((known, index) => ({
    ...known,
    key: String(index),
    parent: index === 0 ? undefined : String(index - 1),
  }));
}

/** A message by nobody that is known here: kept whole, shown as unknown, and never sent as anyone's words. */
export function unknownMessage(native: string): Message {
  return user([{ type: 'unknown', native }]);
}

/** A result as a source has it, in the middle of what the assistant said. */
export interface ToolAnswer {
  readonly callId: string;
  readonly content: string | readonly ContentBlock[];
  readonly isError: boolean;
}

/**
 * Some sources gather an assistant's calls, their results and what it said next in one message. Here each request to
 * a model has its own: what was said and called, the results, and what followed.
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
      // Calls that were made side by side come before their results.
      if (results.length > 0 && (item.type !== 'tool-use' || hasCallsBefore(said, results))) flush();
      said.push(item);
    }
  }
  flush();
  return messages.length > 0 ? messages : [assistant([])];
}

/** Whether every call so far has its result: what follows is another turn. */
function hasCallsBefore(said: readonly ContentBlock[], results: readonly ToolAnswer[]): boolean {
  return said.filter(({ type }) => type === 'tool-use').length <= results.length;
}

/** A file at an address, which may hold its data; `types` and `names` are what the source calls those members. */
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

/** `data:` addresses hold their data; others are kept as they are. What is no address is data. */
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
