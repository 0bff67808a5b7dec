/** A JSON value in which every number is `{ "#": its source text }`, so that `1.0` and 19 digits stay what they are. */
export type Source = null | boolean | string | Source[] | SourceObject;
export type SourceObject = { [name: string]: Source };

const TOKEN = /"(?:[^"\\]+|\\[\s\S])*"|-?\d[\d.eE+-]*/g;

export function parseSource(text: string): Source {
  return JSON.parse(text.replace(TOKEN, (token) => (token[0] === '"' ? token : `{"#":"${token}"}`))) as Source;
}

export function printSource(value: Source): string {
  if (Array.isArray(value)) return `[${value.map(printSource).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const number = numberText(value);
  if (number !== undefined) return number;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${printSource(member)}`);
  return `{${members.join(',')}}`;
}

export function isRecord(value: Source | undefined): value is SourceObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function numberText(value: Source | undefined): string | undefined {
  const text = isRecord(value) ? value['#'] : undefined;
  return typeof text === 'string' && Object.keys(value as SourceObject).length === 1 ? text : undefined;
}

export function recordAt(value: Source | undefined, name: string): SourceObject {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}

export function listAt(value: Source | undefined, name: string): Source[] {
  const member = isRecord(value) ? value[name] : undefined;
  return Array.isArray(member) ? member : [];
}

/** The exact texts of an array's elements, or of an object's members with their names, without white space around them. */
export function partTexts(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const match of text.matchAll(/"(?:[^"\\]+|\\[\s\S])*"|[[\]{},]/g)) {
    const [token] = match;
    if (token === '[' || token === '{') {
      depth++;
      if (depth === 1) start = match.index + 1;
    }
    if (token === ']' || token === '}') depth--;
    if (!((depth === 1 && token === ',') || (depth === 0 && /[\]}]/.test(token)))) continue;
    const part = text.slice(start, match.index).trim();
    if (part !== '') parts.push(part);
    start = match.index + 1;
  }
  return parts;
}

/** The members of an object: name and exact value text. */
export function memberTexts(object: string): [name: string, text: string][] {
  return partTexts(object).map((part) => {
    const [, name = '""', text = ''] = /^("(?:[^"\\]+|\\[\s\S])*")\s*:\s*([\s\S]*)$/.exec(part) ?? [];
    return [JSON.parse(name) as string, text];
  });
}

/** Where two values first differ, for people; undefined when they are equal. The order of members does not matter. */
export function difference(actual: Source | undefined, expected: Source | undefined, path = '$'): string | undefined {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    if (actual.length !== expected.length) return `${path}: ${actual.length} elements instead of ${expected.length}`;
    return first(actual.map((item, index) => () => difference(item, expected[index], `${path}[${index}]`)));
  }
  if (isRecord(actual) && isRecord(expected)) {
    const names = [...new Set([...Object.keys(actual), ...Object.keys(expected)])];
    return first(names.map((name) => () => difference(actual[name], expected[name], `${path}.${name}`)));
  }
  return actual === expected ? undefined : `${path}: ${shown(actual)} instead of ${shown(expected)}`;
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}

function shown(value: Source | undefined): string {
  return value === undefined ? 'nothing' : printSource(value).slice(0, 120);
}
