import type { Message } from '../../message/index.ts';
import { type Element, joinElements, type Manifest } from '../manifest.ts';
import { forModel } from '../provider.ts';
import type { WrittenRequest } from '../request.ts';
import type { MergedDrafts, MessageDrafts, PlacedDraft } from './drafts.ts';
import type { Target } from './writer.ts';

/**
 * What a dialect remembers from one request to the next, so that a long history is not written, hashed and encoded
 * again with every turn. Each entry lives as long as the message, draft or element that it was made from.
 */
export class WriteCache {
  /** What a message became for the last target that it was written for. */
  readonly drafts = new WeakMap<Message, MessageDrafts>();
  /** What drafts became when they were merged, by the first of them. */
  readonly merged = new WeakMap<PlacedDraft, MergedDrafts>();
  readonly elements = new WeakMap<PlacedDraft, Element>();
  /** The prefix hash before and after an element, as it was last computed. */
  readonly prefixes = new WeakMap<Element, { readonly before: string; readonly after: string }>();
  /** The longest start of a body that was joined so far, by its first element that stands for a message. */
  readonly bodies = new WeakMap<Element, BodyStart>();
}

// A request begins with what the previous request of its branch sent, in the same bytes, so that providers can cache it.

const SAME_MEMBERS = ['dialect', 'issuer', 'model', 'account', 'start'] as const;

/** The members of a manifest that must agree for its elements to be sent again. */
type ManifestIdentity = Pick<Manifest, (typeof SAME_MEMBERS)[number] | 'refused' | 'upstream'>;

/**
 * The previous request of this branch, if its elements can be sent again: it has the same target, system and tools,
 * and this request's messages begin with its messages.
 */
export function findReusable(
  previous: Manifest | undefined,
  next: ManifestIdentity,
  messages: readonly Message[],
): Manifest | undefined {
  const count = previous?.messages.length ?? 0;
  return previous &&
    count > 0 &&
    count <= messages.length &&
    SAME_MEMBERS.every((name) => previous[name] === next[name]) &&
    // Before the first reasoning that is bound to an upstream, nothing depended on it.
    (previous.upstream ?? next.upstream) === next.upstream &&
    previous.refused.join() === next.refused.join() &&
    previous.messages.every((digest, index) => messages[index]!.facts.digest === digest)
    ? previous
    : undefined;
}

/**
 * Whether the elements of a previous request stay valid with this draft behind them. Some of them may only stand at the
 * end of a request, or before an answer.
 */
export function isReusableBefore(
  next: PlacedDraft | undefined,
  { elements, losses }: Manifest,
  messages: readonly Message[],
  { provider, model }: Target,
): boolean {
  if (!next || next.role === 'assistant') return true;
  const { alternateRoles, inlineSystem } = provider.policies;
  const index = elements.at(-1)?.of.at(-1) ?? -1;
  const last = messages[index];
  if (alternateRoles && (last?.role ?? 'user') === next.role) return false;
  if (last?.role === 'system' && forModel(inlineSystem, model) === 'after-user')
    return losses.some(({ message, reason }) => message === index && reason === 'inline-system');
  // A paused turn was sent to be continued (`pause_turn`).
  return last?.role !== 'assistant' || last.facts.calls.length > 0 || last.content.at(-1)?.type !== 'unknown';
}

/** The elements of a request without their cache markers. */
export function plainElements({ elements }: Manifest): readonly Element[] {
  return elements.map((element) => (element.plain ? { of: element.of, pieces: element.plain } : element));
}

/** The elements of a body up to the first that carries a cache marker: the next request begins with the same. */
interface BodyStart {
  readonly elements: readonly Element[];
  readonly text: string;
  /** The UTF-8 bytes of `text` as far as they were asked for, and the rest of the text. */
  bytes: Uint8Array;
  unencoded: string;
}

const NOTHING: BodyStart = { elements: [], text: '', bytes: new Uint8Array(), unencoded: '' };

/** Gives the same body as `joinManifest`, but copies the start that an earlier request joined and encoded. */
export function joinBody(
  { head, elements, tail }: Manifest,
  rawOf: (message: number) => string,
  cache: WriteCache,
): Pick<WrittenRequest, 'body' | 'bytes'> {
  const marked = elements.findIndex(({ plain }) => plain !== undefined);
  const plain = marked < 0 ? elements : elements.slice(0, marked);
  const key = plain.find(({ of }) => of.length > 0);
  const known = key && cache.bodies.get(key);
  const reused = known?.elements.every((element, at) => isSame(element, plain[at])) ? known : NOTHING;
  const added = continueList(reused.text, joinElements(plain.slice(reused.elements.length), rawOf));
  const start: BodyStart = {
    elements: plain,
    text: reused.text + added,
    bytes: reused.bytes,
    unencoded: reused.unencoded + added,
  };
  const rest = continueList(start.text, joinElements(elements.slice(plain.length), rawOf)) + tail;
  if (key) cache.bodies.set(key, start);
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  return { body: head + start.text + rest, bytes: () => (bytes ??= encodeBody(head, start, rest)) };
}

/** Whether two elements are the same object, or the same text that stands for no message. */
function isSame(a: Element, b: Element | undefined): boolean {
  return a === b || (a.of.length === 0 && b?.of.length === 0 && a.pieces[0] === b.pieces[0]);
}

/** What `right` adds to a list that begins with `left`. */
function continueList(left: string, right: string): string {
  return left === '' || right === '' ? right : `,${right}`;
}

function encodeBody(head: string, start: BodyStart, rest: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const first = encoder.encode(head);
  const last = encoder.encode(rest);
  const parts = [first, start.bytes, encoder.encode(start.unencoded), last];
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  start.bytes = whole.subarray(first.length, whole.length - last.length);
  start.unencoded = '';
  return whole;
}
