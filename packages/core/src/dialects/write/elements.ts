import type { Element } from '../manifest.ts';
import type { Entry } from './entry.ts';

/** Kept with the entry, so that what is known of an element lasts from request to request. */
const elements = new WeakMap<Entry, Element>();

/** An entry as the manifest names it: ranges of its message where it can, text where it must. */
export function elementOf(entry: Entry): Element {
  const known = elements.get(entry);
  if (known) return known;
  const { of, message: from, pieces, text } = entry;
  const [message] = of;
  const isCut = from && pieces && message !== undefined;
  const element: Element = {
    of,
    pieces: isCut ? pieces.map((piece) => (typeof piece === 'string' ? piece : { message, ...piece })) : [text],
  };
  elements.set(entry, element);
  return element;
}
