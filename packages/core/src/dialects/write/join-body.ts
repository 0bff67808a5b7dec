import { type Element, joinElements, type Manifest } from '../manifest.ts';
import type { WrittenRequest } from '../request.ts';

/** The elements of a request up to the first that carries a cache marker: what the next request begins with, too. */
interface Start {
  readonly elements: readonly Element[];
  readonly text: string;
  /** In UTF-8, as far as bytes were asked for; and the text behind that. */
  bytes: Uint8Array;
  unencoded: string;
}

/**
 * Kept with the first element that stands for a message: one for a conversation, as long as its messages live. So a long
 * history is copied once per turn, and neither joined nor encoded again.
 */
const starts = new WeakMap<Element, Start>();

const NOTHING: Start = { elements: [], text: '', bytes: new Uint8Array(), unencoded: '' };

/** The same as `joinManifest`, from where a request before it ended. */
export function joinBody(
  { head, elements, tail }: Manifest,
  rawOf: (message: number) => string,
): Pick<WrittenRequest, 'body' | 'bytes'> {
  const marked = elements.findIndex(({ plain }) => plain !== undefined);
  const plain = marked < 0 ? elements : elements.slice(0, marked);
  const key = plain.find(({ of }) => of.length > 0);
  const known = key && starts.get(key);
  const reused = known?.elements.every((element, at) => isSame(element, plain[at])) ? known : NOTHING;
  const joined = (part: readonly Element[]): string => joinElements(part, rawOf);
  const added = behind(reused.text, joined(plain.slice(reused.elements.length)));
  const start: Start = {
    elements: plain,
    text: reused.text + added,
    bytes: reused.bytes,
    unencoded: reused.unencoded + added,
  };
  const rest = behind(start.text, joined(elements.slice(plain.length))) + tail;
  if (key) starts.set(key, start);
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  return { body: head + start.text + rest, bytes: () => (bytes ??= encodedBody(head, start, rest)) };
}

/** The same object, or the same text that was written for no message. */
function isSame(a: Element, b: Element | undefined): boolean {
  return a === b || (a.of.length === 0 && b?.of.length === 0 && a.pieces[0] === b.pieces[0]);
}

/** What `right` adds to a list that begins with `left`. */
function behind(left: string, right: string): string {
  return left === '' || right === '' ? right : `,${right}`;
}

function encodedBody(head: string, start: Start, rest: string): Uint8Array<ArrayBuffer> {
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
