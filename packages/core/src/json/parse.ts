import { findJsonError } from './check.ts';
import { JsonTextError } from './error.ts';
import { MAX_DEPTH, MAX_LENGTH } from './limits.ts';
import { endOfValue, skipSpace } from './scan.ts';

/**
 * The value of a JSON text, for views. Numbers that a double cannot hold are rounded here and only here: the text
 * is what is kept and sent.
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_LENGTH) throw new JsonTextError(`longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw findJsonError(text) ?? new JsonTextError('not JSON', 0);
  }
  // Shorter text cannot nest too deep, and most messages are short.
  if (text.length >= 2 * MAX_DEPTH) endOfValue(text, skipSpace(text, 0));
  return value;
}

/** Whether a text is one complete JSON value within the limits. */
export function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string that is not empty: many providers send every optional member, blank, which is as good as none. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
