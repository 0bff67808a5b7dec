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

/** Finds the id of a streamed response as soon as an event names it. */
export function watchForId(onId: (id: string) => void): (bytes: Uint8Array) => void {
  let left = LOOKED_THROUGH;
  const decoder = decodeSse((_, data) => {
    const id = left > 0 ? responseIdIn(data) : undefined;
    if (id === undefined) return;
    left = 0;
    onId(id);
  });
  return (bytes) => {
    if (left <= 0) return;
    left -= bytes.length;
    decoder.push(bytes);
  };
}
