import { type Range, skipSpace } from './scan.ts';
import { findItems, findMembers, type Item, type Path } from './slice.ts';

/** A replacement for `text.slice(start, end)`; an insertion has `start === end`. */
export interface Edit extends Range {
  readonly text: string;
}

/** A piece of an edited text: a range of the original, or new text. */
type Piece = Range | string;

/** Applies edits to a text. They may come in any order and must not overlap. */
export function splice(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  return pieces(text, edits)
    .map((piece) => (typeof piece === 'string' ? piece : text.slice(piece.start, piece.end)))
    .join('');
}

/** The pieces of the edited text, so that it can be described without being copied. */
export function pieces(text: string, edits: readonly Edit[]): Piece[] {
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  const result: Piece[] = [];
  let at = 0;
  for (const edit of ordered) {
    if (edit.start < at || edit.end < edit.start)
      throw new RangeError(`Edits overlap at offset ${edit.start}, or one ends before it starts`);
    if (edit.start > at) result.push({ start: at, end: edit.start });
    if (edit.text !== '') result.push(edit.text);
    at = edit.end;
  }
  if (at < text.length) result.push({ start: at, end: text.length });
  return result;
}

/** Edits that remove members or elements, each together with one comma. */
export function removeItems(items: readonly Item[], drop: (index: number) => boolean): Edit[] {
  let kept: Item | undefined;
  return items.flatMap((item, index) => {
    const before = items[index - 1];
    if (!drop(index)) kept = item;
    else if (kept) return [{ start: before!.end, end: item.end, text: '' }];
    else return [{ start: item.keyStart, end: items[index + 1]?.keyStart ?? item.end, text: '' }];
    return [];
  });
}

/** Edits that remove members of an object by name. */
export function removeMembers(text: string, start: number, names: (name: string) => boolean): Edit[] {
  const members = findMembers(text, start);
  return removeItems(members, (index) => names(members[index]!.name));
}

/** The edit that adds `"name":value` as the last member of an object. */
export function addMember(text: string, start: number, name: string, value: string): Edit {
  const last = findMembers(text, start).at(-1);
  const at = last ? last.end : start + 1;
  return { start: at, end: at, text: `${last ? ',' : ''}${JSON.stringify(name)}:${value}` };
}

/** The edit that inserts elements at the front of an array. */
export function prependElements(text: string, start: number, elements: readonly string[]): Edit {
  const empty = text.charCodeAt(skipSpace(text, start + 1)) === 0x5d;
  return { start: start + 1, end: start + 1, text: elements.join(',') + (empty || elements.length === 0 ? '' : ',') };
}

/** The changes inside one array or object, by index or name: a new text, a removal (undefined), or changes further inside. */
type ChangeTree = Map<string | number, ChangeTree | string | undefined>;

/**
 * Collects changes to one JSON text, each named by the path of a value, and turns them into edits together: removing
 * two neighbours one by one would remove the comma between them twice.
 */
export class Changes {
  readonly #root: ChangeTree = new Map();

  /** Replaces the value at a path, or adds it as the last member of its object; without a text, removes it. */
  set(path: Path, text?: string): void {
    let place = this.#root;
    for (const step of path.slice(0, -1)) {
      const inside = place.has(step) ? place.get(step) : new Map();
      // Nothing inside a value that is removed or replaced as a whole is left to change.
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

function editsInside(raw: string, start: number, place: ChangeTree): Edit[] {
  if (place.size === 0) return [];
  const items = findItems(raw, start);
  const edits = removeItems(items, (index) => {
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

/** A surrogate pair, a lone surrogate (the group), or another escape. */
const ESCAPE = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u([dD][89a-fA-F]..)|.)/gs;

/** Edits that replace each escaped lone surrogate (`\ud83d` without its partner) by `\ufffd`. */
export function findLoneSurrogates(text: string): Edit[] {
  if (!/\\u[dD]/.test(text)) return [];
  return [...text.matchAll(ESCAPE)].flatMap(({ index, 1: half }) =>
    half === undefined ? [] : [{ start: index, end: index + 6, text: '\\ufffd' }],
  );
}
