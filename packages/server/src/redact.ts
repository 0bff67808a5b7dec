/** Hides what must not be shown, in every text of a value. The stored text stays exact. */
export type Redactor = <T>(value: T) => T;

export interface RedactionRules {
  /** Regular expressions; what they match becomes `[redacted]`. */
  readonly patterns?: readonly string[];
  /** Members of any object, by name, whose value is hidden. */
  readonly fields?: readonly string[];
}

const HIDDEN = '[redacted]';

export function createRedactor({ patterns = [], fields = [] }: RedactionRules = {}): Redactor {
  if (patterns.length === 0 && fields.length === 0) return (value) => value;
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'gu'));
  const names = new Set(fields);
  const inText = (text: string): string => {
    const shown = expressions.reduce((now, expression) => now.replace(expression, HIDDEN), text);
    return redactFields(shown, fields, HIDDEN);
  };
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return inText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, names.has(name) ? HIDDEN : redact(inner)]),
    );
  };
  return redact as Redactor;
}

/**
 * Hides the values of members with these names in a JSON text, or in what is left of one, also where the text stands
 * inside a string of another, as the arguments of calls do.
 */
function redactFields(text: string, names: readonly string[], hidden: string): string {
  if (names.length === 0) return text;
  // The quotes of a text inside a text have one backslash, and both of a name have the same.
  const member = new RegExp(`(\\\\?)"(?:${names.map(escaped).join('|')})\\1"\\s*:\\s*`, 'gu');
  let shown = '';
  let from = 0;
  for (let found = member.exec(text); found; found = member.exec(text)) {
    const [whole, slash = ''] = found;
    const start = found.index + whole.length;
    shown += `${text.slice(from, start)}${slash}"${hidden}${slash}"`;
    from = valueEnd(text, start, slash !== '');
    member.lastIndex = from;
  }
  return shown + text.slice(from);
}

const STRING = /"(?:[^"\\]|\\.)*(?:"|$)/suy;
/** The same with every quote and backslash escaped once more. */
const INNER_STRING = /\\"(?:[^"\\]|\\\\(?:\\["\\]|[^"\\]))*(?:\\"|$)?/suy;
const PLAIN = /[^\s,\]}"\\]*/uy;

/** Where a value ends; the end of the text where it does not. */
function valueEnd(text: string, start: number, isInner: boolean): number {
  const string = isInner ? INNER_STRING : STRING;
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const afterString = matchAt(string, text, at);
    if (afterString > at) at = afterString;
    else if (text[at] === '{' || text[at] === '[') {
      depth++;
      at++;
    } else if (depth > 0 && (text[at] === '}' || text[at] === ']')) {
      depth--;
      at++;
    } else if (depth === 0) return matchAt(PLAIN, text, at);
    else at++;
    if (depth === 0) return at;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** As it stands in a JSON text, for a pattern. */
function escaped(name: string): string {
  return JSON.stringify(name)
    .slice(1, -1)
    .replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
