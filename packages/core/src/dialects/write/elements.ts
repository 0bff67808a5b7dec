import type { Element, ElementPiece } from '../manifest.ts';
import type { Entry } from './entry.ts';
import type { Unit } from './writer.ts';

/** Kept with the unit, so that what is known of an element lasts from request to request. */
const elements = new WeakMap<Unit, Element>();

/** An entry as the manifest names it: ranges of its message where it can, text where it must. */
export function elementOf(entry: Entry): Element {
  const known = elements.get(entry.unit);
  if (known && known.of.length === entry.of.length && known.of.every((index, at) => index === entry.of[at]))
    return known;
  const element = { of: entry.of, pieces: piecesOf(entry) };
  elements.set(entry.unit, element);
  return element;
}

function piecesOf({ unit, of, message }: Entry): readonly ElementPiece[] {
  const [index] = of;
  if (!message || !unit.pieces || index === undefined) return [unit.text];
  return unit.pieces.map((piece) =>
    typeof piece === 'string' ? piece : { message: index, start: piece.start, end: piece.end },
  );
}
