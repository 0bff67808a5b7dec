import {
  canonical,
  elementTexts,
  findMembers,
  isJson,
  isObject,
  type JsonObject,
  parseJson,
  textAt,
} from '@skein/core';
import { FormatError, wrongShape } from '../format-error.ts';

/** A parsed object with its exact JSON text. */
export interface ExactObject {
  readonly text: string;
  readonly value: JsonObject;
}

export function readObject(text: string, expected: string): ExactObject {
  const value = readJson(text);
  if (!isObject(value)) throw wrongShape(expected);
  return { text, value };
}

/** The elements of a list as objects with their exact texts. */
export function readObjects(text: string, values: readonly unknown[], expected: string): ExactObject[] {
  return elementTexts(text).map((element, index) => {
    const value = values[index];
    if (!isObject(value)) throw wrongShape(`${expected} as element ${index}`);
    return { text: element, value };
  });
}

/** The exact texts of an object's members by name. */
export function memberTexts({ text }: ExactObject): Map<string, string> {
  return new Map(findMembers(text).map(({ name, start, end }) => [name, text.slice(start, end)]));
}

export function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new FormatError('not_json', `Not JSON: ${(cause as Error).message}`, cause);
  }
}

/** The object at a member, with its exact text; undefined if there is none. */
export function objectAt({ text, value }: ExactObject, name: string): ExactObject | undefined {
  const inner = value[name];
  return isObject(inner) ? { text: textAt(text, [name])!, value: inner } : undefined;
}

/**
 * All members except the named ones and those that are null, to be kept in a take. A value that `JSON.parse` would
 * change, such as a long integer, is kept as `{"json": <its text>}`.
 */
export function otherMembers(exact: ExactObject, names: readonly string[]): Record<string, unknown> {
  const { value } = exact;
  const kept = [...memberTexts(exact)].filter(([name]) => !names.includes(name) && value[name] !== null);
  return Object.fromEntries(kept.map(([name, text]) => [name, exactValue(text, value[name])]));
}

export function exactValue(text: string, value: unknown): unknown {
  const written = JSON.stringify(value);
  return written === text || canonical(written) === canonical(text) ? value : { json: text };
}

/** Writes a value as JSON, with the exact texts that `exactValue` kept, down to a depth. */
export function exactText(value: unknown, depth: number): string {
  if (!isObject(value)) return JSON.stringify(value);
  if (isKeptText(value)) return value.json;
  if (depth === 0) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${exactText(member, depth - 1)}`).join(',')}}`;
}

/**
 * Distinguishes a kept text from an object that merely looks like one: only a kept text holds something that
 * `JSON.parse` would change.
 */
function isKeptText(value: JsonObject): value is { json: string } {
  const { json } = value;
  if (typeof json !== 'string' || Object.keys(value).length > 1 || !isJson(json)) return false;
  const kept = exactValue(json, parseJson(json));
  return isObject(kept) && kept.json === json;
}

/** The text of a member; undefined if it is empty or not a text. */
export function textMember(value: JsonObject, name: string): string | undefined {
  const text = value[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Larger numbers are milliseconds: as seconds they would be in the year 5138 or later. */
const MOST_SECONDS = 100_000_000_000;

/** Reads a time as milliseconds, from an ISO date or from seconds or milliseconds since 1970. */
export function readTime(value: unknown): number | undefined {
  const number = typeof value === 'number' ? (value > MOST_SECONDS ? value : value * 1000) : Number.NaN;
  const time = typeof value === 'string' ? Date.parse(value) : number;
  return Number.isFinite(time) ? Math.round(time) : undefined;
}

/**
 * The arguments of a call as a JSON object: their exact text, a text that is JSON already, or an object around the
 * value.
 */
export function argumentsText(value: unknown, text: string | undefined): string {
  if (isObject(value)) return text ?? JSON.stringify(value);
  if (typeof value === 'string' && isJson(value) && isObject(parseJson(value))) return value;
  return value === undefined || value === null || value === '' ? '{}' : JSON.stringify({ input: value });
}
