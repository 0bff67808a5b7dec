import { type Checkpoint, rangeDigest } from '@skein/core';
import type { Place } from '../forest/write/append-point.ts';
import type { SentHistory } from './history.ts';
import { pathIn, type RecordedIndex } from './recorded-index.ts';

/**
 * What a client sent in place of a history that it had shortened: messages at the front of the path that were left out, and
 * those that were sent instead. Going on with the thread sends the same again.
 */
export function compactionFor(
  index: RecordedIndex,
  { messages, lead }: SentHistory,
  { place, matched }: { readonly place: Place; readonly matched: number },
): Checkpoint {
  const path = pathIn(index, place.id);
  const leading = path.filter((node) => node.place.echo.leading).length;
  const sent = messages.slice(lead, matched);
  let upTo = path.length;
  let replaced = sent.length;
  while (upTo > leading && replaced > 0 && path[upTo - 1]!.body === sent[replaced - 1]!.facts.digest) {
    upTo -= 1;
    replaced -= 1;
  }
  return {
    upTo,
    digest: rangeDigest(
      path.map(({ body }) => ({ facts: { digest: body } })),
      upTo,
    ),
    replacement: sent.slice(0, replaced).map(({ raw, origin }) => ({ dialect: origin.dialect, raw, origin })),
  };
}
