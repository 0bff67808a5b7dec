import {
  endOfString,
  endOfValue,
  findElements,
  findItems,
  findMembers,
  type Item,
  OPEN_BRACE,
  OPEN_BRACKET,
  type Path,
  QUOTE,
  type Range,
  skipSpace,
} from './parse.ts';

/** A replacement for `text.slice(start, end)`; an insertion has `start === end`. */
export interface Edit extends Range {
  readonly text: string;
}

/** A piece of an edited text: a range of the original, or new text. */
type Piece = Range | string;

/**
 * Applies edits to a text. They may come in any order and must not overlap.
 *
 * @example
 * splice('{"a":1}', [{ start: 5, end: 6, text: '2' }]); // '{"a":2}'
 */
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
