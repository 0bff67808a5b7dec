import {
  BACKSLASH,
  COLON,
  COMMA,
  endOfString,
  endOfValue,
  expect,
  type JsonObject,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  type Range,
  skipSpace,
} from './parse.ts';

/** An element of an array, named by its index, or a member of an object, named by its key, with the position of its value. */
interface Item extends Range {
  readonly name: string | number;
  /** The start of the member's key, or of the element itself. */
  readonly keyStart: number;
}

/** A member of an object, with the position of its value. */
interface Member extends Item {
  readonly name: string;
}

/** The way to a nested value: member names and array indexes. */
export type Path = readonly (string | number)[];

/** The elements or members of the array or object that starts at `start`, in order and with duplicates; none for other values. */
function findItems(text: string, start: number): Item[] {
  const open = text.charCodeAt(start);
  const items: Item[] = [];
  let at = skipSpace(text, start + 1);
  if ((open !== OPEN_BRACE && open !== OPEN_BRACKET) || text.charCodeAt(at) === open + 2) return items;
  for (;;) {
    const keyStart = at;
    let name: string | number = items.length;
    if (open === OPEN_BRACE) {
      const keyEnd = endOfString(text, expect(text, at, QUOTE));
      name = readName(text, at, keyEnd);
      at = skipSpace(text, expect(text, skipSpace(text, keyEnd), COLON) + 1);
    }
    const end = endOfValue(text, at);
    items.push({ name, keyStart, start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === open + 2) return items;
    at = skipSpace(text, expect(text, at, COMMA) + 1);
  }
}

/** The members of the object that starts at `start`, in order and with duplicates. */
export function findMembers(text: string, start = skipSpace(text, 0)): Member[] {
  return findItems(text, expect(text, start, OPEN_BRACE)) as Member[];
}

/** The positions of the elements of the array that starts at `start`, in order. */
export function findElements(text: string, start = skipSpace(text, 0)): Item[] {
  return findItems(text, expect(text, start, OPEN_BRACKET));
}

/** The exact texts of an array's elements. */
export function elementTexts(text: string, start?: number): string[] {
  return findElements(text, start).map((range) => text.slice(range.start, range.end));
}

/** Calls `read` with the value and the exact text of each element of an object's list; returns [] when there is no list. */
export function mapElements<T>(
  text: string,
  object: JsonObject,
  name: string,
  read: (value: unknown, text: string, index: number) => T,
): T[] {
  const values = object[name];
  if (!Array.isArray(values)) return [];
  const texts = elementTexts(text, find(text, [name])!.start);
  return values.map((value: unknown, index) => read(value, texts[index]!, index));
}

/** The position of the value at a path, or undefined when there is none. The last of duplicate members wins. */
export function find(text: string, path: Path, start = skipSpace(text, 0)): Range | undefined {
  let at = start;
  let found: Range | undefined;
  for (const step of path) {
    found = findItems(text, at).findLast(({ name }) => name === step);
    if (!found) return undefined;
    at = found.start;
  }
  return found ?? { start, end: endOfValue(text, start) };
}

/** The exact text of the value at a path, or undefined when there is none. */
export function textAt(text: string, path: Path): string | undefined {
  const range = find(text, path);
  return range && text.slice(range.start, range.end);
}

function readName(text: string, start: number, end: number): string {
  for (let at = start + 1; at < end - 1; at++) {
    if (text.charCodeAt(at) === BACKSLASH) return JSON.parse(text.slice(start, end)) as string;
  }
  return text.slice(start + 1, end - 1);
}

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
