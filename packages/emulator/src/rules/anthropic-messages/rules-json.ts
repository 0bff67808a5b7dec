/** What can be wrong before anything is validated. */

import { holdsHalfCharacter, LONE_SURROGATE } from '../../json.ts';

const LONE_ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]/;

/** The message of rule `surrogate`. */
export function loneSurrogate(text: string, value: unknown): string | undefined {
  if (!holdsHalfCharacter(value)) return undefined;
  const index = Math.max(0, LONE_ESCAPE.exec(text)?.index ?? text.search(LONE_SURROGATE));
  return `The request body is not valid JSON: no low surrogate in string: line 1 column ${index + 1} (char ${index})`;
}
