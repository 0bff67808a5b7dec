import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import type { StreamEvent } from './events.ts';
import type { UnreadEvents } from './unread.ts';

export const NO_EVENTS: readonly StreamEvent[] = [];

/** Parses an event once and hands it on; what is no JSON object, or is not understood (undefined), is kept unread. */
export function readEvent(
  unread: UnreadEvents,
  event: string | undefined,
  data: string,
  read: (value: JsonObject) => readonly StreamEvent[] | undefined,
): readonly StreamEvent[] {
  try {
    const value = parseJson(data);
    return (isObject(value) ? read(value) : undefined) ?? unread.keep(event, data);
  } catch {
    // Not JSON, or nested deeper than anything is read.
    return unread.keep(event, data);
  }
}
