import { find, isObject, type JsonObject } from '../../json/index.ts';

/**
 * A field in the JSON form of protocol buffers: each name may be written in camelCase or in snake_case, and `null` is
 * the same as absent. Several names lead into objects.
 */
export function field(value: unknown, ...names: string[]): unknown {
  let found = value;
  for (const name of names) {
    const key = keyOf(found, name);
    found = key === undefined ? undefined : (found as JsonObject)[key];
  }
  return found;
}

export function objectField(value: unknown, ...names: string[]): JsonObject | undefined {
  const found = field(value, ...names);
  return isObject(found) ? found : undefined;
}

export function stringField(value: unknown, ...names: string[]): string | undefined {
  const found = field(value, ...names);
  return typeof found === 'string' ? found : undefined;
}

/** The exact text of a field, in the text of the value. */
export function fieldText(text: string, value: unknown, ...names: string[]): string | undefined {
  const path = keysOf(value, names);
  const range = path && find(text, path);
  return range && text.slice(range.start, range.end);
}

/** How the names of a field are spelled in an object that has it. */
export function keysOf(value: unknown, names: readonly string[]): string[] | undefined {
  const keys = names.map((name, depth) => keyOf(field(value, ...names.slice(0, depth)), name));
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

export function keyOf(value: unknown, name: string): string | undefined {
  if (!isObject(value)) return undefined;
  const key = (value[name] ?? undefined) === undefined ? snake(name) : name;
  return (value[key] ?? undefined) === undefined ? undefined : key;
}

/** Whether a member of that name is the field, in either spelling. */
export function isField(member: string, name: string): boolean {
  return member === name || member === snake(name);
}

const spelled = new Map<string, string>();

function snake(name: string): string {
  let known = spelled.get(name);
  if (known === undefined) {
    known = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    spelled.set(name, known);
  }
  return known;
}
