import { type Range, skipSpace } from './scan.ts';
import { elementsOf, type Member, membersOf, type Path } from './slice.ts';
import { addMember, type Edit, removals } from './splice.ts';

interface Place {
  dropped: boolean;
  text: string | undefined;
  readonly added: (readonly [name: string, text: string])[];
  readonly inside: Map<string | number, Place>;
}

/**
 * Changes to one JSON text, each named by the path of a value. They become edits together, because edits of
 * neighbours that are made apart would both take the comma between them.
 */
export class Changes {
  readonly #root = emptyPlace();

  drop(path: Path): void {
    this.#at(path).dropped = true;
  }

  replace(path: Path, text: string): void {
    this.#at(path).text = text;
  }

  /** A new last member of the object at the path. */
  add(path: Path, name: string, text: string): void {
    this.#at(path).added.push([name, text]);
  }

  edits(raw: string): Edit[] {
    return editsInside(raw, skipSpace(raw, 0), this.#root);
  }

  #at(path: Path): Place {
    let place = this.#root;
    for (const step of path) {
      const next = place.inside.get(step) ?? emptyPlace();
      place.inside.set(step, next);
      place = next;
    }
    return place;
  }
}

function emptyPlace(): Place {
  return { dropped: false, text: undefined, added: [], inside: new Map() };
}

function editsInside(raw: string, start: number, place: Place): Edit[] {
  if (place.inside.size === 0 && place.added.length === 0) return [];
  const items: readonly (Range | Member)[] =
    raw[start] === '{' ? membersOf(raw, start) : raw[start] === '[' ? elementsOf(raw, start) : [];
  const placeOf = (index: number): Place | undefined => {
    const item = items[index]!;
    return place.inside.get('name' in item ? item.name : index);
  };
  const edits = removals(items, (index) => placeOf(index)?.dropped === true);
  items.forEach((item, index) => {
    const inner = placeOf(index);
    if (!inner || inner.dropped) return;
    if (inner.text !== undefined) edits.push({ start: item.start, end: item.end, text: inner.text });
    else edits.push(...editsInside(raw, item.start, inner));
  });
  for (const [name, text] of place.added) edits.push(addMember(raw, start, name, text));
  return edits;
}
