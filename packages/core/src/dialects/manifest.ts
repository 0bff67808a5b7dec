import {
  digest,
  elementTexts,
  find,
  findElements,
  findMembers,
  type Path,
  parseJson,
  type Range,
  removeItems,
  removeMembers,
  skipSpace,
  splice,
  textAt,
} from '../json/index.ts';
import type { Message } from '../message/index.ts';
import type { Loss } from './loss.ts';
import type { WriteCache } from './write/reuse.ts';

/** The parts that a request body was joined from. Joining them again gives the same bytes. */
export interface Manifest {
  readonly version: 1;
  readonly dialect: string;
  readonly issuer: string;
  readonly model: string;
  readonly account?: string;
  /** The provider behind a router that the request was written for. */
  readonly upstream?: string;
  /** The fields that were left out of messages because the provider refuses them. */
  readonly refused: readonly string[];
  /** The text before the first message element: model, system, tools. */
  readonly head: string;
  readonly elements: readonly Element[];
  /** The text behind the last message element: parameters. */
  readonly tail: string;
  /** The `facts.digest` of each message, in order. */
  readonly messages: readonly string[];
  /** The losses of the messages. */
  readonly losses: readonly Loss[];
  /** The hash of system and tools, without cache markers. */
  readonly start: string;
  /** The response under which the API keeps this request and its reply, and the digest of the reply. */
  readonly response?: { readonly id: string; readonly reply: string };
  /** The hash of system, tools and all elements, without cache markers. It is computed on access, and not saved. */
  readonly prefix: string;
}

/** One element of the body's message list: the messages that it stands for, and its text in pieces. */
export interface Element {
  /** The indexes of its messages; none if it was synthesised. */
  readonly of: readonly number[];
  readonly pieces: readonly ElementPiece[];
  /** The pieces without the cache marker, if one was placed on it. */
  readonly plain?: readonly ElementPiece[];
}

/** A range of a message's raw text, or text that was written for this request. */
export type ElementPiece = (Range & { readonly message: number }) | string;

/**
 * Joins the body again. `rawOf` gives the raw text of the message at an index.
 *
 * @example
 * const { body, manifest } = writeRequest(openaiChat, { model, messages });
 * joinManifest(manifest, (index) => messages[index].raw) === body; // true
 */
export function joinManifest(manifest: Manifest, rawOf: (message: number) => string): string {
  return manifest.head + joinElements(manifest.elements, rawOf) + manifest.tail;
}

export function joinElements(elements: readonly Element[], rawOf: (message: number) => string): string {
  return elements.map((element) => joinElement(element, rawOf)).join(',');
}

export function joinElement({ pieces }: Element, rawOf: (message: number) => string): string {
  let text = '';
  for (const piece of pieces)
    text += typeof piece === 'string' ? piece : rawOf(piece.message).slice(piece.start, piece.end);
  return text;
}

/**
 * The start of the prefix hash, which bound reasoning is checked against. The hash covers system and tools, and then each
 * element as it was sent; model, parameters and cache markers do not count.
 */
export function hashStart(base: string): string {
  return digest(`skein-prefix/1\n${base}`);
}

/** The prefix hash behind one more element. */
export function hashNext(prefix: string, element: Element, messages: readonly Message[], cache: WriteCache): string {
  const known = cache.prefixes.get(element);
  if (known?.before === prefix) return known.after;
  const after = digest(`${prefix}\n${digestElement(element, messages)}`);
  cache.prefixes.set(element, { before: prefix, after });
  return after;
}

/** The prefix hash behind all these elements. */
export function hashElements(
  start: string,
  elements: readonly Element[],
  messages: readonly Message[],
  cache: WriteCache,
): string {
  return elements.reduce((prefix, element) => hashNext(prefix, element, messages, cache), start);
}

/** The digest of an element's text; for a whole message, the one that its facts hold. */
function digestElement({ pieces, plain = pieces }: Element, messages: readonly Message[]): string {
  const [piece, ...more] = plain;
  if (typeof piece === 'object' && more.length === 0 && piece.start === 0) {
    const { raw, facts } = messages[piece.message]!;
    if (piece.end === raw.length) return facts.digest;
  }
  return digest(joinElement({ of: [], pieces: plain }, (index) => messages[index]!.raw));
}

/** The first difference between two requests. */
export interface PrefixDifference {
  readonly part: 'system' | 'tools' | 'messages';
  /** Index of the element; 0 if the part is one text. */
  readonly index: number;
  /** The texts there without cache markers; undefined if that request has nothing more. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const PATHS: Readonly<Record<PrefixDifference['part'], readonly Path[]>> = {
  system: [['system'], ['instructions'], ['systemInstruction'], ['system_instruction']],
  tools: [['tools'], ['toolConfig', 'tools']],
  messages: [['messages'], ['input'], ['contents']],
};

/**
 * The first difference that keeps `next` from extending `previous`, or undefined if it extends it: both have the same
 * system and tools, and the messages of `next` begin with those of `previous`, text by text. Cache markers do not count.
 *
 * @example
 * const difference = diffPrefix(lastBody, nextBody);
 * if (difference) console.warn(`The cache is lost at ${difference.part}[${difference.index}].`);
 */
export function diffPrefix(previous: string, next: string): PrefixDifference | undefined {
  parseJson(previous);
  parseJson(next);
  for (const part of ['system', 'tools', 'messages'] as const) {
    const before = elements(previous, part);
    const after = elements(next, part);
    const length = part === 'messages' ? before.length : Math.max(before.length, after.length);
    for (let index = 0; index < length; index++) {
      if (before[index] !== after[index]) return { part, index, before: before[index], after: after[index] };
    }
  }
  return undefined;
}

function elements(body: string, part: PrefixDifference['part']): string[] {
  return listElements(membersOf(body), part).map(({ text }) => text);
}

/** An element of what a prompt cache compares, in the order in which caches compare: tools, system text, messages. */
export interface PrefixElement {
  readonly part: PrefixDifference['part'];
  /** Its index in its part; 0 if the part is one text. */
  readonly index: number;
  /** Its exact text without cache markers. */
  readonly text: string;
  /** The text of the cache marker on it or right behind it. */
  readonly marker: string | undefined;
}

/**
 * The tools, the system text and the messages of a request body in the order in which prompt caches compare them, each
 * with its cache marker. A marker of the whole body is on the last element.
 *
 * @example
 * prefixElements(body).findLast(({ marker }) => marker !== undefined); // where the cached beginning ends
 */
export function prefixElements(body: string): PrefixElement[] {
  const members = membersOf(body);
  const found = (['tools', 'system', 'messages'] as const).flatMap((part) =>
    listElements(members, part).map(({ text, marker }, index) => ({ part, index, text, marker })),
  );
  const whole = members.get('cache_control');
  if (whole?.startsWith('{') && found.length > 0) found.push({ ...found.pop()!, marker: whole });
  return found;
}

/** The texts of the members of a body, which is scanned once for all that are looked for; of duplicates the last, as in JSON. */
function membersOf(body: string): ReadonlyMap<string, string> {
  if (body[skipSpace(body, 0)] !== '{') return new Map();
  return new Map(findMembers(body).map(({ name, start, end }) => [name, body.slice(start, end)]));
}

function findText(members: ReadonlyMap<string, string>, [name, ...rest]: Path): string | undefined {
  const text = members.get(String(name));
  return text === undefined || rest.length === 0 ? text : textAt(text, rest);
}

function listElements(
  members: ReadonlyMap<string, string>,
  part: PrefixDifference['part'],
): Pick<PrefixElement, 'text' | 'marker'>[] {
  let value: string | undefined;
  for (const path of PATHS[part]) value ??= findText(members, path);
  if (value === undefined) return [];
  // A marker turns a plain system text into a list of one block, which means the same.
  if (value.startsWith('"')) return [{ text: `{"type":"text","text":${value}}`, marker: undefined }];
  const listed: Pick<PrefixElement, 'text' | 'marker'>[] = [];
  for (const text of value.startsWith('[') ? elementTexts(value) : [value]) {
    const last = listed.at(-1);
    if (!MARKER_BLOCK.test(text)) listed.push({ text: withoutMarkers(text), marker: findMarker(text) });
    else if (last) listed.push({ ...listed.pop()!, marker: text });
  }
  return listed;
}

/** The last marker of an element or of its blocks. */
function findMarker(text: string): string | undefined {
  if (!MARKER.test(text)) return undefined;
  const edits = markerEdits(text, skipSpace(text, 0)).sort((a, b) => a.start - b.start);
  return edits.length === 0 ? undefined : text.slice(edits.at(-1)!.start, edits.at(-1)!.end);
}

/** A marker is a member of what it marks, or a block of its own behind it. */
const MARKER = /"cache_control"|"cachePoint"/;
const MARKER_BLOCK = /^\{\s*"cachePoint"/;

/** Removes the markers of an element and of its blocks. Deeper inside, a member of that name is data. */
function withoutMarkers(text: string): string {
  return MARKER.test(text) ? splice(text, markerEdits(text, skipSpace(text, 0))) : text;
}

function markerEdits(text: string, start: number): ReturnType<typeof removeMembers> {
  if (text[start] !== '{') return [];
  const content = find(text, ['content'], start);
  const blocks = content && text[content.start] === '[' ? findElements(text, content.start) : [];
  const isMarker = ({ start: from, end }: Range): boolean => MARKER_BLOCK.test(text.slice(from, end));
  return [
    ...removeMembers(text, start, (name) => name === 'cache_control'),
    ...removeItems(blocks, (index) => isMarker(blocks[index]!)),
    ...blocks.filter((block) => !isMarker(block)).flatMap((block) => markerEdits(text, block.start)),
  ];
}
