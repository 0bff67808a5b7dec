/** Plausible values for a JSON Schema, taken from the user's words where they fit. */
import { isObject, type Json, objects } from '../json.ts';
import type { Chance } from './chance.ts';

interface Given {
  readonly text: string;
  readonly chance: Chance;
  /** The whole schema, for references into it. */
  readonly root: Json;
}

const DEPTH = 6;

const words = (text: string): readonly string[] => text.match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu) ?? [];

/** Names stand out by their capital, in the middle of a sentence. */
function properNoun(text: string): string | undefined {
  return /(?<=[\p{Ll}\p{N},;:] )\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*/u.exec(text)?.[0];
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-11-02',
  'date-time': '2026-11-02T12:00:00Z',
  time: '12:00:00',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function string({ format, minLength, maxLength }: Json, name: string, { text }: Given): string {
  const fixed = typeof format === 'string' ? FORMATS[format] : undefined;
  if (fixed !== undefined) return fixed;
  const found = guess(name, text);
  const long = typeof maxLength === 'number' ? found.slice(0, maxLength) : found;
  return typeof minLength === 'number' ? long.padEnd(minLength, '.') : long;
}

function guess(name: string, text: string): string {
  if (/express|formula|calc|equation/i.test(name)) {
    const sum = /[\d(][\d\s.+\-*/^()]*[\d)]/.exec(text)?.[0].trim();
    if (sum !== undefined) return sum;
  }
  if (/url|link|uri/i.test(name)) return /https?:\/\/\S+/.exec(text)?.[0] ?? 'https://example.com/';
  if (/path|file/i.test(name)) return /[\w./-]+\.\w+/.exec(text)?.[0] ?? 'README.md';
  const quoted = /["“'`]([^"”'`]+)["”'`]/.exec(text)?.[1];
  if (/query|text|prompt|question|message|content|input/i.test(name)) return quoted ?? (text.trim() || 'demo');
  const longest = [...words(text)].sort((one, other) => other.length - one.length)[0];
  return quoted ?? properNoun(text) ?? longest ?? 'demo';
}

function number({ minimum, maximum, type }: Json, name: string, { text, chance }: Given): number {
  const from = typeof minimum === 'number' ? minimum : 1;
  const to = typeof maximum === 'number' ? maximum : Math.max(from + 9, 10);
  const said = /-?\d+(?:\.\d+)?/.exec(text)?.[0];
  const value = said === undefined ? Number.NaN : Number(said);
  const whole = `${type}`.toLowerCase() === 'integer';
  if (value >= from && value <= (typeof maximum === 'number' ? maximum : value))
    return whole ? Math.trunc(value) : value;
  return chance.integer(Math.ceil(from), Math.floor(to), name);
}

function oneOf(list: readonly unknown[], name: string, { text, chance }: Given): unknown {
  const said = list.find((value) => typeof value === 'string' && text.toLowerCase().includes(value.toLowerCase()));
  return said ?? (list.length === 0 ? null : chance.pick(list as [unknown, ...unknown[]], name));
}

/** Required properties; where none is required, all of them. */
function object({ properties, required }: Json, given: Given, depth: number): Json {
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const wanted = Array.isArray(required) && required.length > 0 ? new Set<unknown>(required) : undefined;
  return Object.fromEntries(
    fields
      .filter(([name]) => wanted?.has(name) ?? true)
      .map(([name, schema]) => [name, valueFor(isObject(schema) ? schema : {}, name, given, depth + 1)]),
  );
}

function referenced({ $ref }: Json, root: Json): Json | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined;
  const names = $ref.split('/').slice(1);
  const found = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root);
  return isObject(found) ? found : undefined;
}

function valueFor(schema: Json, name: string, given: Given, depth: number): unknown {
  if (depth > DEPTH) return null;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return oneOf(schema.enum, name, given);
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return oneOf(schema.examples, name, given);
  if (schema.default !== undefined) return schema.default;
  const [choice] = objects(schema.anyOf ?? schema.oneOf ?? schema.allOf);
  const other = referenced(schema, given.root) ?? choice;
  if (other) return valueFor(other, name, given, depth + 1);
  const [type] = [schema.type].flat().map((one) => `${one}`.toLowerCase());
  if (type === 'object' || isObject(schema.properties)) return object(schema, given, depth);
  if (type === 'array') return [valueFor(isObject(schema.items) ? schema.items : {}, name, given, depth + 1)];
  if (type === 'integer' || type === 'number') return number(schema, name, given);
  if (type === 'boolean') return given.chance.pick([true, false], name);
  return type === 'null' ? null : string(schema, name, given);
}

export const valueOfSchema = (schema: Json, text: string, chance: Chance): unknown =>
  valueFor(schema, '', { text, chance, root: schema }, 0);

/** Arguments are an object, whatever the schema says. */
export function argumentsFor(schema: Json, text: string, chance: Chance): Json {
  const value = valueOfSchema({ type: 'object', ...schema }, text, chance);
  return isObject(value) ? value : {};
}
