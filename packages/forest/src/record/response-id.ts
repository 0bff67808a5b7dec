import { decodeSse } from '@skein/core';

/** How much of an answer is looked through for its id; it stands near the front. */
const LOOKED_THROUGH = 256 * 1024;

/** The id a response names itself by, in an answer or in an event of one. */
export function responseIdIn(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { id, responseId, message, response } = (value ?? {}) as Record<string, unknown>;
  const inner = (message ?? response) as { id?: unknown } | undefined;
  return [inner?.id, responseId, id].find((one): one is string => typeof one === 'string' && one !== '');
}

/** Takes the text of a stream piece by piece; gives the id of its response once an event has named it. */
export function idInEvents(): (text: string) => string | undefined {
  let left = LOOKED_THROUGH;
  let found: string | undefined;
  const decoder = decodeSse((_, data) => {
    found ??= responseIdIn(data);
  });
  return (text) => {
    if (found === undefined && left > 0) decoder.push(text);
    left -= text.length;
    return found;
  };
}
