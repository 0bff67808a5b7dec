import { SkeinError } from '../error.ts';
import { isObject, parseJson } from '../json/index.ts';
import type { ContentBlock } from './blocks.ts';
import { assistant, blocksMessage, isMessage, type Message, system, toolResult, user } from './message.ts';

/** The message shape from before content blocks. It is read wherever it is found, and never written. */
export interface LegacyMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly LegacyToolCall[];
  readonly tool_call_id?: string;
}

interface LegacyToolCall {
  readonly id: string;
  readonly type?: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Thrown for a message of the older shape that cannot be read. */
export class LegacyMessageError extends SkeinError {
  override readonly name = 'LegacyMessageError';
  readonly code = 'invalid_legacy_message';

  constructor(problem: string) {
    super(`Not a message of the older shape: ${problem}`);
  }
}

/**
 * Whether a value has the older shape; messages of content blocks do not.
 *
 * @example
 * isLegacyMessage({ role: 'user', content: 'Hello' }); // true
 */
export function isLegacyMessage(value: unknown): value is LegacyMessage {
  if (!isObject(value) || !['system', 'user', 'assistant', 'tool'].includes(value.role as string)) return false;
  if (typeof value.content === 'string') return true;
  return (value.content === null || value.content === undefined) && Array.isArray(value.tool_calls);
}

/**
 * The blocks of an older message: its text, then its tool calls in order.
 *
 * @example
 * legacyToContentBlocks({ role: 'user', content: 'Hello' }); // [{ type: 'text', text: 'Hello' }]
 */
export function legacyToContentBlocks(message: LegacyMessage): ContentBlock[] {
  const text: ContentBlock[] = message.content ? [{ type: 'text', text: message.content }] : [];
  return [...text, ...(message.tool_calls ?? []).map(toolUse)];
}

/**
 * Converts a message of any shape to a `Message`; one that already is a `Message` is returned unchanged. Pass the JSON
 * text rather than the parsed value if you have it, because the text keeps large numbers exact.
 *
 * @example
 * normalizeMessage({ role: 'user', content: 'Hello' }).text; // 'Hello'
 */
export function normalizeMessage(input: Message | LegacyMessage | object | string): Message {
  if (isMessage(input)) return input;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const value = typeof input === 'string' ? parseJson(input) : input;
  return isLegacyMessage(value) ? fromLegacy(value) : blocksMessage(text);
}

function fromLegacy(message: LegacyMessage): Message {
  const blocks = legacyToContentBlocks(message);
  switch (message.role) {
    case 'system':
      return system(blocks);
    case 'user':
      return user(blocks);
    case 'tool':
      if (!message.tool_call_id) throw new LegacyMessageError('a tool message needs "tool_call_id"');
      return toolResult(message.tool_call_id, blocks);
    case 'assistant':
      if (blocks.length === 0 && typeof message.content !== 'string')
        throw new LegacyMessageError('it has neither text nor tool calls');
      return assistant(blocks);
  }
}

function toolUse(call: LegacyToolCall): ContentBlock {
  const { name, arguments: raw } = isObject(call) && isObject(call.function) ? call.function : ({} as never);
  if (typeof call.id !== 'string' || typeof name !== 'string' || typeof raw !== 'string')
    throw new LegacyMessageError(
      `a tool call needs "id", "function.name" and "function.arguments" as text: ${JSON.stringify(call)}`,
    );
  const rawParameters = raw.trim() === '' ? '{}' : raw;
  let parameters: unknown;
  try {
    parameters = parseJson(rawParameters);
  } catch (cause) {
    throw new LegacyMessageError(
      `the arguments of tool "${name}" (call ${call.id}) are not JSON: ${(cause as Error).message}`,
    );
  }
  if (!isObject(parameters))
    throw new LegacyMessageError(`the arguments of tool "${name}" (call ${call.id}) are not a JSON object`);
  return { type: 'tool-use', id: call.id, name, parameters, rawParameters };
}
