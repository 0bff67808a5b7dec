import { SkeinError } from '../error.ts';
import { findElements, findMembers } from './splice.ts';

/** How deep arrays and objects may nest. Deeper text is rejected, so that no recursive reader overflows the stack. */
export const MAX_DEPTH = 512;

/** The longest JSON text that is accepted, in UTF-16 code units. */
export const MAX_LENGTH = 256 * 1024 * 1024;

/** Thrown for text that is not valid JSON. `offset` counts UTF-16 code units from the start of the text. */
export class JsonTextError extends SkeinError {
  override readonly name = 'JsonTextError';
  readonly code = 'invalid_json';
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(`Invalid JSON at offset ${offset}: ${problem}`);
    this.offset = offset;
  }
}

/** The position of a value in a text: `text.slice(start, end)`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Returns `at` if the character there has that code; throws otherwise. */
export function expect(text: string, at: number, code: number): number {
  if (text.charCodeAt(at) !== code) throw new JsonTextError(`'${String.fromCharCode(code)}' expected`, at);
  return at;
}

export function skipSpace(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** The offset behind the closing quote of the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw new JsonTextError('the string does not end', start);
    if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
    let slashes = 1;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    // The run of backslashes cannot reach past the opening quote, so an even number means that this quote is not escaped.
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/**
 * The offset behind the value that starts at `start`. Nested values are skipped without being validated: `parseJson`
 * validates each text once, when it comes in.
 */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, start);
  return endOfScalar(text, start);
}

function endOfNested(text: string, start: number): number {
  let depth = 1;
  let at = start + 1;
  while (depth > 0) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) throw tooDeep(at);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if (at >= text.length) throw new JsonTextError('the text ends inside an array or object', at);
    at++;
  }
  return at;
}

function tooDeep(at: number): JsonTextError {
  return new JsonTextError(`nested deeper than ${MAX_DEPTH} levels`, at);
}

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The offset behind a number, `true`, `false` or `null`. This validates the scalar, too, because there is no cheaper way to find its end. */
function endOfScalar(text: string, start: number): number {
  SCALAR.lastIndex = start;
  if (SCALAR.test(text)) return SCALAR.lastIndex;
  throw new JsonTextError('a value expected', start);
}

/**
 * Parses a JSON text within the limits; throws a `JsonTextError` that names the offset of the first mistake. Numbers
 * that a double cannot hold are rounded, so the result is only for looking at: what is stored and sent is the text.
 *
 * @example
 * parseJson('{"a":[1,2]}'); // { a: [1, 2] }
 */
export function parseJson(text: string): unknown {
  if (text.length > MAX_LENGTH) throw new JsonTextError(`longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw findJsonError(text) ?? new JsonTextError('not JSON', 0);
  }
  // A shorter text cannot nest too deep, and most messages are short.
  if (text.length >= 2 * MAX_DEPTH) endOfValue(text, skipSpace(text, 0));
  return value;
}

/**
 * Whether a text is one complete JSON value within the limits.
 *
 * @example
 * isJson('{"a":1}'); // true
 * isJson('{"a":1,}'); // false
 */
export function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** A parsed JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/**
 * Whether a value is an object that is neither null nor an array.
 *
 * @example
 * isObject({}); // true
 * isObject([]); // false
 */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a non-empty string. Many providers send optional members as `""`, which means the same as absent. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

// Bounded, because an unbounded repetition overflows the regular expression engine on long strings.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON strings may not hold
const STRING_PIECE = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,4096}/y;

/**
 * The first mistake in a JSON text, or undefined when there is none. The native parser decides whether a text is valid;
 * this slower scan finds the offset of the mistake.
 */
export function findJsonError(text: string): JsonTextError | undefined {
  try {
    const end = skipSpace(text, checkValue(text, skipSpace(text, 0), 0));
    return end === text.length ? undefined : new JsonTextError('text follows the value', end);
  } catch (error) {
    return error as JsonTextError;
  }
}

/** The offset behind the value at `start`, after validating every character of it. */
function checkValue(text: string, start: number, depth: number): number {
  const open = text.charCodeAt(start);
  if (open === QUOTE) return checkString(text, start);
  if (open !== OPEN_BRACE && open !== OPEN_BRACKET) return endOfScalar(text, start);
  if (depth >= MAX_DEPTH) throw tooDeep(start);
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === open + 2) return at + 1;
  for (;;) {
    if (open === OPEN_BRACE) {
      const keyEnd = checkString(text, expect(text, at, QUOTE));
      at = skipSpace(text, expect(text, skipSpace(text, keyEnd), COLON) + 1);
    }
    at = skipSpace(text, checkValue(text, at, depth + 1));
    if (text.charCodeAt(at) === open + 2) return at + 1;
    at = skipSpace(text, expect(text, at, COMMA) + 1);
  }
}

function checkString(text: string, start: number): number {
  let at = start + 1;
  for (STRING_PIECE.lastIndex = at; STRING_PIECE.test(text); ) at = STRING_PIECE.lastIndex;
  if (text[at] === '"') return at + 1;
  throw new JsonTextError(at >= text.length ? 'the string does not end' : 'not allowed in a string', at);
}

/**
 * A JSON text as a tree that can grow, with every leaf in its exact spelling. Stream readers assemble messages in this
 * form.
 */
export type Tree = TextNode | LeafNode | ListNode | RecordNode;

/** A string: the pieces of the text between its quotes, with their escapes. */
export interface TextNode {
  readonly kind: 'text';
  readonly pieces: string[];
}

/** A number, `true`, `false`, `null`, or any other value that is kept as one text. */
interface LeafNode {
  readonly kind: 'leaf';
  readonly text: string;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: Tree[];
}

export interface TreeMember {
  readonly name: string;
  /** The key's exact spelling with its quotes, if it has escapes. */
  readonly key?: string | undefined;
  value: Tree;
}

export interface RecordNode {
  readonly kind: 'record';
  readonly members: TreeMember[];
}

export const textNode = (...pieces: string[]): TextNode => ({ kind: 'text', pieces });
export const leafNode = (text: string): LeafNode => ({ kind: 'leaf', text });
export const listNode = (items: Tree[] = []): ListNode => ({ kind: 'list', items });
export const recordNode = (members: TreeMember[] = []): RecordNode => ({ kind: 'record', members });

export function parseTree(text: string, start = skipSpace(text, 0)): Tree {
  const code = text.charCodeAt(start);
  if (code === QUOTE) return textNode(text.slice(start + 1, endOfString(text, start) - 1));
  if (code === OPEN_BRACKET) return listNode(findElements(text, start).map((item) => parseTree(text, item.start)));
  if (code !== OPEN_BRACE) return leafNode(text.slice(start, endOfValue(text, start)));
  const members = findMembers(text, start).map(({ name, keyStart, start: at }): TreeMember => {
    const key = text.slice(keyStart, endOfString(text, keyStart));
    return { name, key: key.includes('\\') ? key : undefined, value: parseTree(text, at) };
  });
  return recordNode(members);
}

export function printTree(tree: Tree): string {
  switch (tree.kind) {
    case 'text':
      return `"${tree.pieces.join('')}"`;
    case 'leaf':
      return tree.text;
    case 'list':
      return `[${tree.items.map(printTree).join(',')}]`;
    case 'record':
      return `{${tree.members.map(({ name, key, value }) => `${key ?? JSON.stringify(name)}:${printTree(value)}`).join(',')}}`;
  }
}

export function getMember(record: RecordNode, name: string): Tree | undefined {
  return record.members.findLast((member) => member.name === name)?.value;
}

/** Replaces the value of the member of that name, or adds the member at the end. */
export function setMember(record: RecordNode, name: string, value: Tree, key?: string): void {
  const member = record.members.findLast((candidate) => candidate.name === name);
  if (member) member.value = value;
  else record.members.push({ name, key, value });
}

/** The member of that name, if its value has the kind that `make` makes; otherwise a new value, which replaces it. */
export function ensureMember<T extends Tree>(record: RecordNode, name: string, make: () => T): T {
  const made = make();
  const found = getMember(record, name);
  if (found?.kind === made.kind) return found as T;
  setMember(record, name, made);
  return made;
}

/** How a protocol streams its fields, by member name. */
export interface MergeRule {
  /** Strings that are always sent whole: a later one replaces an earlier one, unless it is empty. */
  readonly replaced: ReadonlySet<string>;
  /** The element that a streamed element continues, for lists in which `index` alone does not tell; null when it is new. */
  readonly continued?: (list: string, items: readonly Tree[], item: RecordNode) => RecordNode | null | undefined;
}

/**
 * Merges a streamed delta into what came before it. Strings are concatenated; objects are merged member by member;
 * elements with an integer `index` are merged with the element of the same index, others are appended; `null` never
 * replaces a value; anything else replaces.
 */
export function mergeDelta(target: RecordNode, delta: RecordNode, rule: MergeRule): void {
  for (const { name, key, value } of delta.members) {
    const before = getMember(target, name);
    if (before === undefined)
      setMember(target, name, value.kind === 'list' ? startList(name, value, rule) : value, key);
    else if (!isNull(value)) setMember(target, name, mergeValue(name, before, value, rule));
  }
}

function mergeValue(name: string, before: Tree, value: Tree, rule: MergeRule): Tree {
  if (value.kind === 'text' && before.kind === 'text') {
    if (rule.replaced.has(name)) return value.pieces.join('') === '' ? before : value;
    for (const piece of value.pieces) before.pieces.push(piece);
    return before;
  }
  if (value.kind === 'record' && before.kind === 'record') {
    mergeDelta(before, value, rule);
    return before;
  }
  if (value.kind !== 'list') return value;
  if (before.kind !== 'list') return startList(name, value, rule);
  addItems(name, before, value, rule);
  return before;
}

function startList(name: string, value: ListNode, rule: MergeRule): ListNode {
  const list = listNode();
  addItems(name, list, value, rule);
  return list;
}

/** For each list, its elements by their streamed `index`. */
const itemsByIndex = new WeakMap<ListNode, Map<string, RecordNode>>();

function addItems(name: string, list: ListNode, value: ListNode, rule: MergeRule): void {
  const byIndex = itemsByIndex.get(list) ?? new Map<string, RecordNode>();
  itemsByIndex.set(list, byIndex);
  for (const item of value.items) {
    if (item.kind !== 'record') {
      list.items.push(item);
      continue;
    }
    const index = readIndex(item);
    const told = rule.continued?.(name, list.items, item);
    const same = told === undefined && index !== undefined ? byIndex.get(index) : told;
    if (same) mergeDelta(same, index === undefined ? item : withoutIndex(item), rule);
    else {
      list.items.push(item);
      if (index !== undefined) byIndex.set(index, item);
    }
  }
}

function withoutIndex(record: RecordNode): RecordNode {
  return recordNode(record.members.filter((member) => member.name !== 'index'));
}

function readIndex(record: RecordNode): string | undefined {
  const index = getMember(record, 'index');
  return index?.kind === 'leaf' && /^\d+$/.test(index.text) ? index.text : undefined;
}

/** Replaces an earlier value by a later one, objects member by member. A later `null` replaces only if `nullCounts`. */
export function overlay(before: Tree, later: Tree, nullCounts: boolean): Tree {
  if (before.kind !== 'record' || later.kind !== 'record') return !nullCounts && isNull(later) ? before : later;
  for (const { name, key, value } of later.members) {
    const known = getMember(before, name);
    setMember(before, name, known ? overlay(known, value, nullCounts) : value, key);
  }
  return before;
}

function isNull(tree: Tree): boolean {
  return tree.kind === 'leaf' && tree.text === 'null';
}
