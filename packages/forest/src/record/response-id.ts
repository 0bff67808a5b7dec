import { type Dialect, decodeSse, isObject } from '@skein/core';
import { serving } from '@skein/core/dialect';

/** How much of an answer is looked through for its id; it stands near the front. */
const LOOKED_THROUGH = 256 * 1024;

/** The id a response names itself by, in an answer or in an event of one. */
export function responseIdIn(dialect: Dialect, text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const id = isObject(value) ? serving(dialect).responseId(value) : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Takes the text of a stream piece by piece; gives the id of its response once an event has named it. */
export function idInEvents(dialect: Dialect): (text: string) => string | undefined {
  let left = LOOKED_THROUGH;
  let found: string | undefined;
  const decoder = decodeSse((_, data) => {
    found ??= responseIdIn(dialect, data);
  });
  return (text) => {
    if (found === undefined && left > 0) decoder.push(text);
    left -= text.length;
    return found;
  };
}
