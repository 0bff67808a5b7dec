/** What can be wrong before anything is validated. */

import { isObject } from '../../json.ts';

/** A surrogate without its other half. */
const LONE = /\p{Surrogate}/u;
const LONE_ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]/;

const holdsLone = (value: unknown): boolean => {
  if (typeof value === 'string') return LONE.test(value);
  if (Array.isArray(value)) return value.some(holdsLone);
  return isObject(value) && Object.entries(value).some(([name, item]) => LONE.test(name) || holdsLone(item));
};

/** The message of rule `surrogate`. */
export function loneSurrogate(text: string, value: unknown): string | undefined {
  if (!holdsLone(value)) return undefined;
  const index = Math.max(0, LONE_ESCAPE.exec(text)?.index ?? text.search(LONE));
  return `The request body is not valid JSON: no low surrogate in string: line 1 column ${index + 1} (char ${index})`;
}
