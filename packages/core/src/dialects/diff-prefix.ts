import { elementsOf, elementTexts, find, parseJson, skipSpace, splice, textAt, withoutMembers } from '../json/index.ts';

/** Where two requests part. */
export interface PrefixDifference {
  readonly part: 'system' | 'tools' | 'messages';
  /** Index of the element; 0 where the part is one text. */
  readonly index: number;
  /** The texts there, cache markers aside; undefined where one request has nothing more. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const NAMES = {
  system: ['system', 'instructions', 'systemInstruction', 'system_instruction'],
  tools: ['tools'],
  messages: ['messages', 'input', 'contents'],
} as const;

/**
 * Whether `next` extends `previous`: the same system and tools, and its messages begin with the same texts, element
 * by element, cache markers aside. The first difference, or undefined when it does.
 */
export function diffPrefix(previous: string, next: string): PrefixDifference | undefined {
  parseJson(previous);
  parseJson(next);
  for (const part of ['system', 'tools', 'messages'] as const) {
    const before = elements(previous, NAMES[part]);
    const after = elements(next, NAMES[part]);
    const length = part === 'messages' ? before.length : Math.max(before.length, after.length);
    for (let index = 0; index < length; index++) {
      if (before[index] !== after[index]) return { part, index, before: before[index], after: after[index] };
    }
  }
  return undefined;
}

function elements(body: string, names: readonly string[]): string[] {
  const value = names.map((name) => textAt(body, [name])).find((text) => text !== undefined);
  if (value === undefined) return [];
  if (value.startsWith('[')) return elementTexts(value).map(withoutMarkers);
  // A marker makes a list of one block of a plain system text, which says the same.
  return [value.startsWith('"') ? `{"type":"text","text":${value}}` : withoutMarkers(value)];
}

/** The text without the markers of an element and of the blocks in it; most have none. Elsewhere that name is data. */
function withoutMarkers(text: string): string {
  return text.includes('"cache_control"') ? splice(text, markerEdits(text, skipSpace(text, 0))) : text;
}

function markerEdits(text: string, start: number): ReturnType<typeof withoutMembers> {
  if (text[start] !== '{') return [];
  const content = find(text, ['content'], start);
  const blocks = content && text[content.start] === '[' ? elementsOf(text, content.start) : [];
  return [
    ...withoutMembers(text, start, (name) => name === 'cache_control'),
    ...blocks.flatMap((block) => markerEdits(text, block.start)),
  ];
}
