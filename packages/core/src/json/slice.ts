import type { JsonObject } from './parse.ts';
import {
  BACKSLASH,
  COLON,
  COMMA,
  endOfString,
  endOfValue,
  expect,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  type Range,
  skipSpace,
} from './scan.ts';

/** An element of an array, named by its index, or a member of an object, named by its key, with the position of its value. */
export interface Item extends Range {
  readonly name: string | number;
  /** The start of the member's key, or of the element itself. */
  readonly keyStart: number;
}

/** A member of an object, with the position of its value. */
export interface Member extends Item {
  readonly name: string;
}

/** The way to a nested value: member names and array indexes. */
export type Path = readonly (string | number)[];

/** The elements or members of the array or object that starts at `start`, in order and with duplicates; none for other values. */
export function findItems(text: string, start: number): Item[] {
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
