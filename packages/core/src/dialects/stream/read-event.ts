import {
  isJson,
  isObject,
  isText,
  type JsonObject,
  leafNode,
  listNode,
  parseJson,
  type RecordNode,
  setMember,
  type Tree,
} from '../../json/index.ts';
import type { StreamEvent } from './events.ts';

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

/** Events that no reader knows: reported as they come, and kept for the envelope. */
export class UnreadEvents {
  readonly #items: Tree[] = [];

  keep(event: string | undefined, data: string): readonly StreamEvent[] {
    const kept = isJson(data) ? data : JSON.stringify(data);
    this.#items.push(leafNode(`{${event === undefined ? '' : `"event":${JSON.stringify(event)},`}"data":${kept}}`));
    return [{ type: 'unknown', event, data }];
  }

  /** Adds `unread_events` to an envelope when there are any. */
  addTo(envelope: RecordNode): void {
    if (this.#items.length > 0) setMember(envelope, 'unread_events', listNode(this.#items));
  }
}

/** What an error says, whatever shape it has. */
export function errorMessage(error: unknown): string {
  const message = isObject(error) && isText(error.message) ? error.message : error;
  return isText(message) ? message : (JSON.stringify(message) ?? 'the provider reported an error');
}

export function errorEvent(error: unknown, native: string): StreamEvent {
  return { type: 'error', message: errorMessage(error), native };
}
