import { JsonTextError } from './error.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfString,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  type Range,
  skipSpace,
} from './scan.ts';

/** One member of an object: its name, where the key starts, and where the value stands. */
export interface Member extends Range {
  readonly name: string;
  readonly keyStart: number;
}

export type Path = readonly (string | number)[];

/** The members of the object that starts at `start`, in order, duplicates included. */
export function membersOf(text: string, start = skipSpace(text, 0)): Member[] {
  expect(text, start, OPEN_BRACE, "'{'");
  const members: Member[] = [];
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) return members;
  for (;;) {
    expect(text, at, QUOTE, 'a key in double quotes');
    const keyEnd = endOfString(text, at);
    const colon = skipSpace(text, keyEnd);
    expect(text, colon, COLON, "':'");
    const valueStart = skipSpace(text, colon + 1);
    const end = endOfValue(text, valueStart);
    members.push({ name: nameOf(text, at, keyEnd), keyStart: at, start: valueStart, end });
    const next = skipSpace(text, end);
    if (text.charCodeAt(next) === CLOSE_BRACE) return members;
    expect(text, next, COMMA, "',' or '}'");
    at = skipSpace(text, next + 1);
  }
}

/** Where the elements of the array that starts at `start` stand, in order. */
export function elementsOf(text: string, start = skipSpace(text, 0)): Range[] {
  expect(text, start, OPEN_BRACKET, "'['");
  const elements: Range[] = [];
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACKET) return elements;
  for (;;) {
    const end = endOfValue(text, at);
    elements.push({ start: at, end });
    const next = skipSpace(text, end);
    if (text.charCodeAt(next) === CLOSE_BRACKET) return elements;
    expect(text, next, COMMA, "',' or ']'");
    at = skipSpace(text, next + 1);
  }
}

/** The exact texts of an array's elements. */
export function elementTexts(text: string, start?: number): string[] {
  return elementsOf(text, start).map((range) => text.slice(range.start, range.end));
}

/** The last member of that name, as the native parser would take it. */
export function memberOf(text: string, start: number, name: string): Member | undefined {
  return membersOf(text, start).findLast((member) => member.name === name);
}

/** Where the value at a path stands, or undefined when there is none. */
export function find(text: string, path: Path, start = skipSpace(text, 0)): Range | undefined {
  let range: Range = { start, end: -1 };
  for (const step of path) {
    const next = stepInto(text, range.start, step);
    if (next === undefined) return undefined;
    range = next;
  }
  return range.end >= 0 ? range : { start, end: endOfValue(text, start) };
}

/** The exact text of the value at a path. */
export function textAt(text: string, path: Path): string | undefined {
  const range = find(text, path);
  return range && text.slice(range.start, range.end);
}

function stepInto(text: string, start: number, step: string | number): Range | undefined {
  const code = text.charCodeAt(start);
  if (typeof step === 'number') return code === OPEN_BRACKET ? elementsOf(text, start)[step] : undefined;
  return code === OPEN_BRACE ? memberOf(text, start, step) : undefined;
}

function nameOf(text: string, start: number, end: number): string {
  for (let at = start + 1; at < end - 1; at++) {
    if (text.charCodeAt(at) === BACKSLASH) return JSON.parse(text.slice(start, end)) as string;
  }
  return text.slice(start + 1, end - 1);
}

function expect(text: string, at: number, code: number, what: string): void {
  if (text.charCodeAt(at) !== code) throw new JsonTextError(`${what} expected`, at);
}
