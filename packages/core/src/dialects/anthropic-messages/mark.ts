import { addMember, elementsOf, find, isObject, parseJson, splice } from '../../json/index.ts';
import { isEmptyText, isThinking } from './flaws.ts';

const MARKER = '{"type":"ephemeral"}';

/**
 * Adds a cache marker to the last place that may carry one: of a message, of a system text or of a list of tools.
 * Undefined when there is no such place.
 */
export function mark(text: string): string | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return markValue(text, value);
  const content = find(text, ['content']);
  const marked = content && markValue(text.slice(content.start, content.end), value.content);
  return marked && splice(text, [{ ...content, text: marked }]);
}

function markValue(text: string, value: unknown): string | undefined {
  if (typeof value === 'string')
    return value === '' ? undefined : `[{"type":"text","text":${text},"cache_control":${MARKER}}]`;
  if (!Array.isArray(value)) return undefined;
  const index = value.findLastIndex(mayCarry);
  if (index < 0) return undefined;
  if ('cache_control' in value[index]) return text;
  const at = elementsOf(text)[index]!.start;
  return splice(text, [addMember(text, at, 'cache_control', MARKER)]);
}

/** Thinking is closed to markers (`extra-block`), empty text too (`cache-empty`), and tools that are loaded later. */
function mayCarry(item: unknown): boolean {
  return isObject(item) && item.defer_loading !== true && !isThinking(item) && !isEmptyText(item);
}
