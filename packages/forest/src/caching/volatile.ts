/** What differs between two requests that are otherwise the same. */
export type VolatileKind = 'time' | 'id' | 'address' | 'path' | 'number';

/** A kind of text that often differs from request to request, and how to recognise it. */
interface VolatilePattern {
  readonly kind: VolatileKind;
  readonly pattern: RegExp;
}

/** The most telling first: a time inside an address is part of the address. */
const PATTERNS: readonly VolatilePattern[] = [
  { kind: 'address', pattern: /https?:\/\/[^\s"'<>\\]+/g },
  {
    kind: 'time',
    pattern:
      /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[AP]M)?|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}(?:, \d{4})?|\b1[5-9]\d{8}(?:\d{3})?\b/g,
  },
  { kind: 'path', pattern: /(?:\/(?:tmp|var|home|Users|private)\/|[A-Z]:\\)[\w.\-/\\]+/g },
  {
    kind: 'id',
    pattern:
      /\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b|\b(?=[\w-]*\d)[A-Za-z0-9_-]{12,}\b/g,
  },
  { kind: 'number', pattern: /\d+(?:\.\d+)?/g },
];

/** A text with placeholders for its volatile words, and the patterns that found any, in their order. */
export interface MaskedText {
  readonly text: string;
  readonly kinds: readonly VolatilePattern[];
}

export function mask(text: string): MaskedText {
  const kinds: VolatilePattern[] = [];
  let masked = text;
  for (const one of PATTERNS) {
    const next = masked.replace(one.pattern, `<${one.kind}>`);
    if (next !== masked) kinds.push(one);
    masked = next;
  }
  return { text: masked, kinds };
}

/** The kind of volatile word in which two texts differ, if they are the same otherwise. */
export function findVolatile(before: string, after: string): VolatileKind | undefined {
  let [a, b] = [before, after];
  for (const { kind, pattern } of PATTERNS) {
    [a, b] = [a.replace(pattern, `<${kind}>`), b.replace(pattern, `<${kind}>`)];
    if (a === b) return kind;
  }
  return undefined;
}

/**
 * What the pattern of a learned rule stands for; undefined for a pattern that a person wrote.
 *
 * @example
 * volatileKind(learnIgnoreRules(pairs)[0].match ?? ''); // 'time'
 */
export function volatileKind(match: string): VolatileKind | undefined {
  return PATTERNS.find(({ pattern }) => pattern.source === match)?.kind;
}
