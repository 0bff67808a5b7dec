import { canonical, findMembers, isJson, JsonTextError } from '@skein/core';
import { type PrefixElement, prefixElements } from '@skein/core/dialect';
import { findVolatile, type VolatileKind } from './volatile.ts';

/** A request as a prompt cache compares it. */
export interface CachedRequest {
  readonly elements: readonly PrefixElement[];
  /** The other members of the body that are short, by name, as exact text. */
  readonly members: ReadonlyMap<string, string>;
  readonly headers: Readonly<Record<string, string>>;
  /** The API adds the history that it keeps, so the body has only the new messages. */
  readonly isKept: boolean;
  /** How many characters it holds in memory. */
  readonly size: number;
}

/** Members above this length are not compared: they are no settings. */
const LONGEST_MEMBER = 2000;

/**
 * Reads a request body as a prompt cache compares it; undefined if it is no JSON object. `anchors` are the members that name
 * a history which the API keeps.
 */
export function readCachedRequest(
  body: string,
  headers: CachedRequest['headers'],
  anchors: readonly string[] = [],
): CachedRequest | undefined {
  if (!/^\s*\{/.test(body)) return undefined;
  try {
    const elements = prefixElements(body);
    const members = new Map(
      findMembers(body)
        .filter(({ start, end }) => end - start <= LONGEST_MEMBER)
        .map(({ name, start, end }) => [name, body.slice(start, end)] as const),
    );
    return { elements, members, headers, isKept: anchors.some((name) => members.has(name)), size: body.length };
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}

/** How many blocks an element has; caches search so many back from a marker. */
export function countBlocks({ text }: PrefixElement): number {
  return Math.max(1, text.match(/"(?:type|text|toolUse|functionCall)"\s*:/g)?.length ?? 1);
}

/** Where two requests part, and what kind of difference it is. */
export interface RequestDifference {
  readonly part: PrefixElement['part'];
  readonly index: number;
  /** The member inside the element that differs, such as `description` or `content[1].text`. */
  readonly field: string;
  readonly kind: DifferenceKind;
  /** For a volatile text: what it is. */
  readonly volatile?: VolatileKind;
  /** The texts around the first character that differs; empty if a request has nothing there. */
  readonly before: string;
  readonly after: string;
  /** How many characters of the elements are the same before it. */
  readonly shared: number;
}

/**
 * `changed`: other content; `added` or `removed`: one has an element that the other has not; `reordered`: the same elements
 * in another order; `respelled`: the same JSON value in another spelling; `volatile`: the same but for times, ids or paths.
 */
export type DifferenceKind = 'changed' | 'added' | 'removed' | 'reordered' | 'respelled' | 'volatile';

/**
 * The first place where `next` does not repeat `previous`; undefined if it begins with all of it. Of messages only those
 * count that `previous` has, up to `limit` elements of it.
 */
export function findDifference(
  previous: CachedRequest,
  next: CachedRequest,
  limit = previous.elements.length,
): RequestDifference | undefined {
  let shared = 0;
  for (let at = 0; at < limit; at++) {
    const before = previous.elements[at]!;
    const after = next.elements[at];
    if (after && before.part === after.part && before.text === after.text) shared += before.text.length;
    else return describeDifference(previous, next, at, shared);
  }
  // A part that grew in front of the messages moves them.
  const extra = next.elements[limit];
  const last = previous.elements[limit - 1];
  const grew = extra && last && extra.part === last.part && extra.part !== 'messages';
  return grew ? describeDifference(previous, next, limit, shared) : undefined;
}

function describeDifference(
  previous: CachedRequest,
  next: CachedRequest,
  at: number,
  shared: number,
): RequestDifference {
  const before = previous.elements[at];
  const after = next.elements[at];
  const { part, index } = before && (!after || comesFirst(before, after)) ? before : after!;
  const texts = { before: before?.part === part ? before.text : '', after: after?.part === part ? after.text : '' };
  const offset = firstDifference(texts.before, texts.after);
  const kind = findKind(previous, next, part, texts);
  return {
    part,
    index,
    field: kind === 'added' || kind === 'removed' || kind === 'reordered' ? '' : fieldAt(texts.before, offset),
    kind,
    ...(kind === 'volatile' && { volatile: findVolatile(texts.before, texts.after)! }),
    before: excerpt(texts.before, offset),
    after: excerpt(texts.after, offset),
    shared: shared + offset,
  };
}

const PARTS: readonly PrefixElement['part'][] = ['tools', 'system', 'messages'];

function comesFirst(a: PrefixElement, b: PrefixElement): boolean {
  return PARTS.indexOf(a.part) <= PARTS.indexOf(b.part);
}

interface Texts {
  readonly before: string;
  readonly after: string;
}

function findKind(
  previous: CachedRequest,
  next: CachedRequest,
  part: PrefixElement['part'],
  { before, after }: Texts,
): DifferenceKind {
  if (isReordered(textsIn(previous, part), textsIn(next, part))) return 'reordered';
  if (before === '') return 'added';
  if (after === '') return 'removed';
  if (isJson(before) && isJson(after) && canonical(before) === canonical(after)) return 'respelled';
  if (findVolatile(before, after)) return 'volatile';
  if (part !== 'messages' && textsIn(next, part).includes(before)) return 'added';
  return part !== 'messages' && textsIn(previous, part).includes(after) ? 'removed' : 'changed';
}

function textsIn({ elements }: CachedRequest, part: PrefixElement['part']): string[] {
  return elements.filter((one) => one.part === part).map(({ text }) => text);
}

function isReordered(before: readonly string[], after: readonly string[]): boolean {
  if (before.length !== after.length || before.length < 2) return false;
  const sorted = [...before].sort();
  return [...after].sort().every((text, at) => text === sorted[at]);
}

function firstDifference(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

const CONTEXT = 24;
const SHOWN = 72;

function excerpt(text: string, at: number): string {
  if (text === '') return '';
  const start = Math.max(0, at - CONTEXT);
  const end = Math.min(text.length, start + SHOWN);
  return `${start > 0 ? '…' : ''}${copy(text.slice(start, end))}${end < text.length ? '…' : ''}`;
}

/** A part of a text keeps all of it in memory, unless it is copied. */
function copy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The path of the member or element that holds the character at `at`, such as `content[1].text`. */
function fieldAt(text: string, at: number): string {
  const path: string[] = [];
  let pending = '';
  let isKey = false;
  const stack: { readonly isArray: boolean; index: number }[] = [];
  for (let i = 0; i < Math.min(at + 1, text.length); i++) {
    const character = text[i]!;
    if (character === '"') {
      const end = endOfString(text, i);
      if (isKey) pending = text.slice(i + 1, end);
      if (end >= at) break;
      i = end;
    } else if (character === '{' || character === '[') {
      stack.push({ isArray: character === '[', index: 0 });
      path.push(character === '[' ? '[0]' : '');
      isKey = character === '{';
    } else if (character === ':' && stack.at(-1)?.isArray === false) {
      path[path.length - 1] = pending;
      isKey = false;
    } else if (character === ',') {
      const top = stack.at(-1);
      if (top?.isArray) path[path.length - 1] = `[${++top.index}]`;
      else isKey = true;
    } else if (character === '}' || character === ']') {
      stack.pop();
      path.pop();
    }
  }
  return path
    .filter((name) => name !== '')
    .join('.')
    .replaceAll('.[', '[');
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return text.length;
}
