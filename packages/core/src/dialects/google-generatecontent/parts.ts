import {
  elementTexts,
  endOfValue,
  find,
  getMember,
  isObject,
  type JsonObject,
  leafNode,
  listNode,
  MAX_DEPTH,
  type Path,
  parseJson,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  skipSpace,
  type Tree,
  textAt,
  textNode,
} from '../../json/index.ts';
import { ProtocolError } from '../reply.ts';
import { google } from './provider.ts';

/**
 * Reads a field in the JSON form of protocol buffers: a name may be written in camelCase or in snake_case, and `null`
 * means absent. Several names lead into nested objects.
 */
export function field(value: unknown, ...names: string[]): unknown {
  let found = value;
  for (const name of names) {
    const key = findKey(found, name);
    found = key === undefined ? undefined : (found as JsonObject)[key];
  }
  return found;
}

export function objectField(value: unknown, ...names: string[]): JsonObject | undefined {
  const found = field(value, ...names);
  return isObject(found) ? found : undefined;
}

export function stringField(value: unknown, ...names: string[]): string | undefined {
  const found = field(value, ...names);
  return typeof found === 'string' ? found : undefined;
}

/** The exact text of a field, in the text of the value. */
export function fieldText(text: string, value: unknown, ...names: string[]): string | undefined {
  const path = findKeys(value, names);
  const range = path && find(text, path);
  return range && text.slice(range.start, range.end);
}

/** The spelling of each name on the way to a field; undefined if the field is absent. */
export function findKeys(value: unknown, names: readonly string[]): string[] | undefined {
  const keys = names.map((name, depth) => findKey(field(value, ...names.slice(0, depth)), name));
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

/** The spelling of a field's name in an object; undefined if the field is absent. */
export function findKey(value: unknown, name: string): string | undefined {
  if (!isObject(value)) return undefined;
  const key = (value[name] ?? undefined) === undefined ? snake(name) : name;
  return (value[key] ?? undefined) === undefined ? undefined : key;
}

/** Whether a member of that name is the field, in either spelling. */
export function isField(member: string, name: string): boolean {
  return member === name || member === snake(name);
}

const spelled = new Map<string, string>();

function snake(name: string): string {
  let known = spelled.get(name);
  if (known === undefined) {
    known = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    spelled.set(name, known);
  }
  return known;
}

/** A content, with its parts by value, text and path. */
export interface Content {
  readonly role: unknown;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly value: unknown;
  readonly text: string;
  readonly path: Path;
}

/** Whether a part is only text, thought or said; a stream brings thousands of these. */
export function isPlainText({ value }: Part): boolean {
  if (!isObject(value) || typeof value.text !== 'string') return false;
  for (const name in value) if (name !== 'text' && name !== 'thought') return false;
  return true;
}

/**
 * Reads a content. A system message, `{"role":"system","content":…}`, holds one; a string in its place counts as its
 * only part.
 */
export function readContent(raw: string): Content {
  const value = parseJson(raw);
  if (!isObject(value)) throw new ProtocolError(google.dialect, 'a content must be an object', raw);
  const { role } = value;
  const isSystem = role === 'system' && value.content !== undefined;
  const at = isSystem ? ['content'] : [];
  const content = isSystem ? value.content : value;
  if (typeof content === 'string')
    return { role, parts: [{ value: { text: content }, text: textAt(raw, at)!, path: at }] };
  return { role, parts: isObject(content) ? partsAt(raw, [...at, 'parts'], content.parts) : partsAt(raw, at, content) };
}

/** The parts at a path. A single part may stand in place of a list. */
function partsAt(raw: string, path: Path, value: unknown): readonly Part[] {
  if (value === undefined || value === null) return [];
  const text = textAt(raw, path)!;
  return Array.isArray(value)
    ? elementTexts(text).map((element, index) => ({ value: value[index], text: element, path: [...path, index] }))
    : [{ value, text, path }];
}

/** The exact texts of a list's elements. A single element may stand in place of a list. */
export function listTexts(text: string, start = skipSpace(text, 0)): string[] {
  return text[start] === '[' ? elementTexts(text, start) : [text.slice(start, endOfValue(text, start))];
}

/** A call, which a stream may have sent in several parts. */
export interface Call {
  readonly id: string | undefined;
  readonly name: string;
  /** The indexes of its parts; the first one has its name. */
  readonly parts: number[];
  /** The text of its arguments, if they were sent whole. */
  readonly given: string | undefined;
  /** Its arguments in pieces (`partialArgs`), a form that no request takes. */
  pieces: string[] | undefined;
  /** Whether more of it was announced and has not come yet. */
  isOpen: boolean;
}

/** The text of the arguments, without its closing brace while more is to come. */
export function readArguments({ given, pieces, isOpen }: Call): string {
  const text = given ?? joinArguments(pieces ?? []);
  return isOpen ? text.slice(0, -1) : text;
}

/**
 * Adds a part to the calls before it and returns the call that it begins or continues. A call with `willContinue` is
 * continued by the calls without a name that follow, through the first one that does not continue.
 */
export function addCall(calls: Call[], index: number, part: unknown, text: string): Call | undefined {
  const value = field(part, 'functionCall');
  const native = fieldText(text, part, 'functionCall');
  if (native === undefined) return undefined;
  const name = stringField(value, 'name');
  if (name) {
    const id = stringField(value, 'id') || undefined;
    const given = fieldText(native, value, 'args');
    calls.push({ id, name, parts: [], given, pieces: undefined, isOpen: true });
  }
  const call = calls.at(-1);
  if (!call?.isOpen) return undefined;
  call.parts.push(index);
  call.isOpen = field(value, 'willContinue') === true;
  const partial = fieldText(native, value, 'partialArgs');
  const isPartial = partial?.startsWith('[');
  if (call.isOpen || isPartial) call.pieces ??= [];
  if (isPartial) for (const piece of elementTexts(partial!)) call.pieces!.push(piece);
  return call;
}

/**
 * Joins arguments that were streamed value by value, each with its path; every leaf keeps its exact text. If they do not
 * fit together into an object, the result is a list of the pieces.
 */
function joinArguments(pieces: readonly string[]): string {
  const root = recordNode();
  return pieces.every((piece) => addPiece(root, piece)) ? printTree(root) : `[${pieces.join(',')}]`;
}

function addPiece(root: RecordNode, piece: string): boolean {
  const value = parseJson(piece);
  const leaf = readLeaf(value, piece);
  const steps = parseSteps(stringField(value, 'jsonPath') ?? '');
  return !leaf || (steps.length > 0 && placeLeaf(root, steps, leaf) !== undefined);
}

function readLeaf(value: unknown, piece: string): Tree | undefined {
  const text = fieldText(piece, value, 'stringValue');
  if (text?.startsWith('"')) return textNode(text.slice(1, -1));
  const scalar = fieldText(piece, value, 'numberValue') ?? fieldText(piece, value, 'boolValue');
  if (scalar !== undefined) return leafNode(scalar);
  return field(value, 'nullValue') === undefined ? undefined : leafNode('null');
}

const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\[(['"])((?:\\.|(?!\3)[^\\])*)\3\]/g;

/** Parses a path: `$.a[0]['b c']` → `a`, 0, `b c`; empty if it is not such a path. */
function parseSteps(path: string): (string | number)[] {
  const found = [...path.matchAll(STEP)];
  if (found.length > MAX_DEPTH || `$${found.map(([step]) => step).join('')}` !== path) return [];
  return found.map(([, name, index, , quoted]) => (index ? Number(index) : (name ?? quoted!.replace(/\\(.)/g, '$1'))));
}

/** Puts a leaf into a tree, appending text to text; undefined if the path does not fit the tree. */
function placeLeaf(
  tree: Tree | undefined,
  [step, ...more]: readonly (string | number)[],
  leaf: Tree,
): Tree | undefined {
  if (step === undefined)
    return tree?.kind === 'text' && leaf.kind === 'text' ? textNode(...tree.pieces, ...leaf.pieces) : leaf;
  if (typeof step === 'number') {
    const list = tree ?? listNode();
    if (list.kind !== 'list' || step > list.items.length) return undefined;
    const item = placeLeaf(list.items[step], more, leaf);
    if (item) list.items[step] = item;
    return item && list;
  }
  const record = tree ?? recordNode();
  if (record.kind !== 'record') return undefined;
  const value = placeLeaf(getMember(record, step), more, leaf);
  if (value) setMember(record, step, value);
  return value && record;
}
