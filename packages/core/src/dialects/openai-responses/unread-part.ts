import { type JsonObject, skipSpace, splice, withoutMembers } from '../../json/index.ts';

const KNOWN: ReadonlySet<string> = new Set(
  (
    'type sequence_number item_id output_index content_index summary_index command_index annotation_index obfuscation ' +
    'delta logprobs item part response annotation text refusal arguments input code command diff ' +
    'partial_image_b64 partial_image_index size quality background output_format'
  ).split(' '),
);

/** What is kept along with it. */
const PLACE: ReadonlySet<string> = new Set(['type', 'item_id']);

/**
 * What an event says that no reader knows, as an event of its own; undefined when there is nothing. It must not be the
 * whole event: that may hold the whole response.
 */
export function unreadPart(data: string, event: JsonObject): string | undefined {
  const isRead = (name: string): boolean => KNOWN.has(name) && (name !== 'delta' || typeof event.delta === 'string');
  for (const name in event) {
    if (isRead(name)) continue;
    const read = withoutMembers(data, skipSpace(data, 0), (other) => isRead(other) && !PLACE.has(other));
    return splice(data, read);
  }
  return undefined;
}
