import { find, findElements, isObject, isText, type JsonObject, parseJson, splice } from '../../json/index.ts';
import type { Draft } from '../write/writer.ts';

// What the API refuses in its own messages: the view reports it as needs, and writing a request repairs it.

export function isThinking(block: unknown): block is JsonObject {
  return isObject(block) && (block.type === 'thinking' || block.type === 'redacted_thinking');
}

export function isToolResult(block: unknown): block is JsonObject {
  return isObject(block) && block.type === 'tool_result';
}

/** Whether a block is a call of a client's or of a server-side tool. */
function isCall(block: unknown): block is JsonObject {
  return isObject(block) && typeof block.type === 'string' && /(?:^|_)tool_use$/.test(block.type);
}

/** `empty-text` */
export function isEmptyText(block: unknown): boolean {
  return isObject(block) && block.type === 'text' && block.text === '';
}

/** `tool-input`: a stream that ended inside the arguments leaves a string here. */
export function hasBadInput(block: unknown): boolean {
  return isCall(block) && !isObject(block.input);
}

/**
 * Whether a block is incomplete: thinking without its signature (`signature`) or with nothing behind it
 * (`thinking-last`). In a reply that was cut, also a call with incomplete arguments, and a server-side call without its
 * result (`server-tool-unanswered`).
 */
export function isIncomplete(block: unknown, message: readonly unknown[], cut: boolean): boolean {
  if (isThinking(block)) return message.at(-1) === block || isUnsigned(block);
  if (!cut || !isCall(block)) return false;
  return hasBadInput(block) || (block.type !== 'tool_use' && !isTakenUp(block.id, message));
}

function isUnsigned(block: JsonObject): boolean {
  return block.type === 'thinking' && !isText(block.signature);
}

/** Whether a server-side call is followed by its result, or by client calls that its code makes. */
function isTakenUp(id: unknown, message: readonly unknown[]): boolean {
  return message.some(
    (block) => isObject(block) && (block.tool_use_id === id || (isObject(block.caller) && block.caller.tool_id === id)),
  );
}

/** `empty-message`, `whitespace-text` */
export function saysNothing(content: readonly unknown[]): boolean {
  return content.every((block) => isObject(block) && block.type === 'text' && !isVisible(block.text));
}

export function isVisible(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

/** Blocks that contain blocks. Results that a server encrypted must not change (`server-result-altered`). */
const NESTING: ReadonlySet<unknown> = new Set(['tool_result', 'mcp_tool_result', 'search_result', 'document']);

/** The lists of blocks inside a tool result, a search result or a document. */
export function innerLists(block: JsonObject): { readonly path: readonly string[]; readonly items: unknown[] }[] {
  if (!NESTING.has(block.type)) return [];
  const inSource = isObject(block.source) ? block.source.content : undefined;
  return [
    ...(Array.isArray(block.content) ? [{ path: ['content'], items: block.content }] : []),
    ...(Array.isArray(inSource) ? [{ path: ['source', 'content'], items: inSource }] : []),
  ];
}

/** Whether a condition holds for any block, nested ones included. */
export function anyBlock(blocks: readonly unknown[], holds: (block: JsonObject) => boolean): boolean {
  return blocks.some(
    (block) => isObject(block) && (holds(block) || innerLists(block).some(({ items }) => anyBlock(items, holds))),
  );
}

/** Removes white space at the end of a draft (`trailing-space`). */
export function trimEnd(draft: Draft): Draft | undefined | null {
  const content = find(draft.text, ['content'])!;
  const last = draft.text[content.start] === '[' ? findElements(draft.text, content.start).at(-1) : undefined;
  const range = last ? find(draft.text, ['text'], last.start) : content;
  const text = range && draft.text.slice(range.start, range.end);
  const said = text?.startsWith('"') ? String(parseJson(text)) : '';
  const trimmed = said.trimEnd();
  if (trimmed === said) return undefined;
  if (trimmed === '') return null;
  return { ...draft, pieces: undefined, text: splice(draft.text, [{ ...range!, text: JSON.stringify(trimmed) }]) };
}

/**
 * Whether the tool loop that the request is in, or the answer that it ends with, began without thinking
 * (`thinking-first`). The API joins neighbours of one role, so the loop goes back as long as the user's messages contain
 * results.
 */
export function beginsUnthought(
  count: number,
  textOf: (index: number) => string,
  isResult: (block: unknown) => boolean = isToolResult,
  isThought: (block: unknown) => unknown = isThinking,
): boolean {
  let start: unknown;
  let isUser = true;
  // An answer that is to be continued is treated as if results followed it.
  let hasResults = count > 0 && (parseJson(textOf(count - 1)) as JsonObject).role === 'assistant';
  for (let at = count - 1; at >= 0; at--) {
    const { role, content } = parseJson(textOf(at)) as JsonObject;
    const blocks = Array.isArray(content) ? content : [content];
    if (role === 'assistant') {
      if (!hasResults) break;
      start = blocks[0];
      isUser = false;
    } else {
      hasResults = (isUser && hasResults) || blocks.some(isResult);
      isUser = true;
    }
  }
  return start !== undefined && !isThought(start);
}
