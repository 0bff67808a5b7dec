import { skipSpace } from './scan.ts';
import { itemsOf, type Path } from './slice.ts';
import { addMember, type Edit, removals } from './splice.ts';

/** What becomes of the values in one place, by name or index: a new text, nothing, or changes inside. */
type Place = Map<string | number, Place | string | undefined>;

/**
 * Changes to one JSON text, each named by the path of a value. They become edits together, because edits of
 * neighbours that are made apart would both take the comma between them.
 */
export class Changes {
  readonly #root: Place = new Map();

  /** Puts a text in the place of a value, or behind the members of its object; without one the value is taken out. */
  set(path: Path, text?: string): void {
    let place = this.#root;
    for (const step of path.slice(0, -1)) {
      const inside = place.has(step) ? place.get(step) : new Map();
      // What is taken out or replaced as a whole has nothing inside to change.
      if (!(inside instanceof Map)) return;
      place.set(step, inside);
      place = inside;
    }
    place.set(path.at(-1)!, text);
  }

  edits(raw: string): Edit[] {
    return editsInside(raw, skipSpace(raw, 0), this.#root);
  }
}

function editsInside(raw: string, start: number, place: Place): Edit[] {
  if (place.size === 0) return [];
  const items = itemsOf(raw, start);
  const edits = removals(items, (index) => {
    const { name } = items[index]!;
    return place.has(name) && place.get(name) === undefined;
  });
  for (const [name, change] of place) {
    const found = items.filter((item) => item.name === name);
    if (change instanceof Map) edits.push(...found.flatMap((item) => editsInside(raw, item.start, change)));
    else if (change !== undefined)
      edits.push(
        ...(found.length > 0
          ? found.map(({ start: at, end }) => ({ start: at, end, text: change }))
          : [addMember(raw, start, String(name), change)]),
      );
  }
  return edits;
}
