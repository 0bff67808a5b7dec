import { find, findElements, isObject, isText, type JsonObject, parseJson, splice } from '../../json/index.ts';
import type { Draft } from '../write/writer.ts';

// What the API refuses in its own messages: the view reports it as needs, and writing a request repairs it.

/** The reasoning of a block: `{reasoningText:{text,signature}}` or `{redactedContent}`. */
export function findReasoning(block: unknown): JsonObject | undefined {
  return isObject(block) && isObject(block.reasoningContent) ? block.reasoningContent : undefined;
}

/** A call or a result of a tool that runs at the provider; both stand in the assistant's message. */
export function isServerTool(block: unknown): boolean {
  const inner = isObject(block) ? (block.toolUse ?? block.toolResult) : undefined;
  return isObject(inner) && typeof inner.type === 'string' && inner.type !== 'tool_use' && inner.type !== 'tool_result';
}

export function isToolResult(block: unknown): block is { readonly toolResult: JsonObject } {
  return isObject(block) && isObject(block.toolResult) && !isServerTool(block);
}

export function isToolUse(block: unknown): block is { readonly toolUse: JsonObject } {
  return isObject(block) && isObject(block.toolUse) && !isServerTool(block);
}

export function isCachePoint(block: unknown): boolean {
  return isObject(block) && 'cachePoint' in block;
}

/** `blank-text` */
export function isBlankText(block: unknown): boolean {
  return isObject(block) && typeof block.text === 'string' && block.text.trim() === '';
}

/** `tool-input`: a stream that ended inside the arguments leaves a string here. */
export function hasBadInput(block: unknown): boolean {
  return isObject(block) && isObject(block.toolUse) && !isObject(block.toolUse.input);
}

/**
 * Whether a block is incomplete: reasoning of a model that signs it without its signature, or with nothing behind it
 * (`thinking-last`). In a reply that was cut, also reasoning at its end, and a call with incomplete arguments.
 */
export function isIncomplete(block: unknown, message: readonly unknown[], cut: boolean): boolean {
  const thought = findReasoning(block);
  if (!thought) return cut && hasBadInput(block);
  const isLast = message.at(-1) === block;
  const isSigning = message.some((other) => isSigned(findReasoning(other)));
  return (cut && isLast) || (isSigning && (isLast || !isSigned(thought)));
}

/** Whether reasoning carries a signature, or is one whole ciphertext. Some makers sign theirs, others do not. */
export function isSigned(thought: JsonObject | undefined): boolean {
  if (!thought) return false;
  const { reasoningText, redactedContent } = thought;
  return isText(redactedContent) || (isObject(reasoningText) && isText(reasoningText.signature));
}

/** `empty-message` */
export function saysNothing(content: readonly unknown[]): boolean {
  return content.every((block) => isBlankText(block) || isCachePoint(block));
}

/** Removes white space at the end of a draft (`trailing-space`). */
export function trimEnd(draft: Draft): Draft | undefined | null {
  const last = findElements(draft.text, find(draft.text, ['content'])!.start).at(-1);
  const range = last && find(draft.text, ['text'], last.start);
  const said = range ? parseJson(draft.text.slice(range.start, range.end)) : undefined;
  if (typeof said !== 'string' || said.trimEnd() === said) return undefined;
  if (said.trim() === '') return null;
  return {
    ...draft,
    pieces: undefined,
    text: splice(draft.text, [{ ...range!, text: JSON.stringify(said.trimEnd()) }]),
  };
}
