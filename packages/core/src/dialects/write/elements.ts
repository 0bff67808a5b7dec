import type { Element, ElementPiece } from '../manifest.ts';
import type { Entry } from './entry.ts';

/** An entry as the manifest names it: ranges of its message where it can, text where it must. */
export function elementOf({ unit, of, message }: Entry): Element {
  const [index] = of;
  if (!message || !unit.pieces || index === undefined) return { of, pieces: [unit.text] };
  const pieces = unit.pieces.map(
    (piece): ElementPiece =>
      typeof piece === 'string' ? piece : { message: index, start: piece.start, end: piece.end },
  );
  return { of, pieces };
}
