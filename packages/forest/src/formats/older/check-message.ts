import { isLegacyMessage, isObject, type JsonObject, type Message, normalizeMessage } from '@skein/core';
import { FormatError } from '../format-error.ts';

/**
 * A message of the older layout, in blocks or in the shape before them. Strict: the layout knows nothing but text and
 * calls, so anything else is damage, not a later version. Blanks between the tokens are no part of the message, or a
 * file that was only indented anew would hold another one.
 */
export function readOlderMessage(text: string, value: unknown): Message {
  if (!isObject(value)) throw wrong('it is not an object');
  if (!['user', 'assistant', 'tool'].includes(String(value.role)))
    throw wrong(`the role is ${JSON.stringify(value.role)}; it is user, assistant or tool`);
  if (value.role === 'tool' && (typeof value.tool_call_id !== 'string' || value.tool_call_id === ''))
    throw wrong('a tool message needs "tool_call_id"');
  if (isLegacyMessage(value)) {
    if (value.role !== 'assistant' && (value.content === null || (value.tool_calls?.length ?? 0) > 0))
      throw wrong(`a ${value.role} message has text, and no tool calls`);
  } else checkBlocks(value);
  return normalizeMessage(withoutBlanks(text));
}

function checkBlocks({ role, content }: JsonObject): void {
  if (!Array.isArray(content) || content.length === 0) throw wrong('"content" is neither text nor a list with blocks');
  for (const [index, block] of content.entries()) {
    const at = `content[${index}]`;
    if (!isObject(block)) throw wrong(`${at} is not an object`);
    if (block.type === 'text' && typeof block.text === 'string') continue;
    if (block.type !== 'tool-use') throw wrong(`${at} is neither a text nor a tool-use block`);
    if (role !== 'assistant') throw wrong(`${at} is a call, but only the assistant calls tools`);
    if (typeof block.id !== 'string' || typeof block.name !== 'string' || !isObject(block.parameters))
      throw wrong(`${at} needs "id", "name" and "parameters"`);
  }
}

function withoutBlanks(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

function wrong(problem: string): FormatError {
  return new FormatError('wrong_shape', `Its message is not one of the older layout: ${problem}.`);
}
