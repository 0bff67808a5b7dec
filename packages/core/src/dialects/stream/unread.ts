import { isJson, leafNode, listNode, type RecordNode, setMember, type Tree } from '../../json/index.ts';
import type { StreamEvent } from './events.ts';

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
