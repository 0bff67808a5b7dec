import { type Element, joinElements, type Manifest } from '../manifest.ts';
import type { WrittenRequest } from '../request.ts';

/** The elements of a request up to the first that carries a cache marker: what the next request begins with, too. */
interface Start {
  readonly count: number;
  readonly text: string;
  /** In UTF-8, once it was asked for. */
  bytes?: Uint8Array;
}

/** Kept while the manifest lives, so that a long history is copied once per turn, and neither joined nor encoded again. */
const starts = new WeakMap<Manifest, Start>();

/** The same as `joinManifest`, from where the request before it ended. */
export function joinBody(
  manifest: Manifest,
  previous: Manifest | undefined,
  rawOf: (message: number) => string,
): Pick<WrittenRequest, 'body' | 'bytes'> {
  const { head, elements, tail } = manifest;
  const marked = elements.findIndex(({ plain }) => plain !== undefined);
  const count = marked < 0 ? elements.length : marked;
  const known = previous && starts.get(previous);
  const reused: Start = known && known.count <= count ? known : { count: 0, text: '' };
  const joined = (part: readonly Element[]): string => joinElements(part, rawOf);
  const added = behind(reused.text, joined(elements.slice(reused.count, count)));
  const start: Start = { count, text: reused.text + added };
  const rest = behind(start.text, joined(elements.slice(count))) + tail;
  starts.set(manifest, start);
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  return {
    body: head + start.text + rest,
    bytes: () => (bytes ??= encodedBody(head, reused, added, start, rest)),
  };
}

/** What `right` adds to a list that begins with `left`. */
function behind(left: string, right: string): string {
  return left === '' || right === '' ? right : `,${right}`;
}

function encodedBody(head: string, reused: Start, added: string, start: Start, rest: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const inside = reused.bytes ? [reused.bytes, encoder.encode(added)] : [encoder.encode(start.text)];
  const first = encoder.encode(head);
  const last = encoder.encode(rest);
  const parts = [first, ...inside, last];
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  start.bytes = whole.subarray(first.length, whole.length - last.length);
  // One copy per conversation is enough.
  delete reused.bytes;
  return whole;
}
