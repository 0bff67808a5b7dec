/** Bodies as bytes: what an earlier request of the conversation encoded is not encoded again. */
import { type Element, joinElements } from '../manifest.ts';
import type { BodyParts, EncodedBody, WriteCache } from './reuse.ts';

/** How many bodies begin with the same element. */
const MOST_ALIKE = 3;

/** Lends the bytes of a body until the promise settles. Only what an earlier request did not encode is joined and encoded. */
export async function lendBytes<T>(
  parts: BodyParts,
  rawOf: (message: number) => string,
  cache: WriteCache,
  owner: object,
  use: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>,
): Promise<T> {
  const body = encodeBody(parts, rawOf, cache, owner);
  body.isLent = true;
  try {
    return await use(body.bytes.subarray(0, body.length));
  } finally {
    body.isLent = false;
  }
}

function encodeBody(
  { manifest: { head, elements, tail }, unmarked, settled, shared }: BodyParts,
  rawOf: (message: number) => string,
  cache: WriteCache,
  owner: object,
): EncodedBody {
  const key = elements.find(({ of }) => of.length > 0);
  const bodies = (key && cache.bodies.get(key)) ?? [];
  const own = bodies.find((body) => body.owner === owner);
  if (own) return own;
  const { known, ...from } = findEncoded(bodies, head, elements, unmarked, shared);
  const encoder = new TextEncoder();
  const encode = (start: number, end: number, before: string, behind: string): Uint8Array => {
    const text = start < end ? (start > 0 ? ',' : '') + joinElements(elements.slice(start, end), rawOf) : '';
    return encoder.encode(before + text + behind);
  };
  const fixed = Math.min(unmarked, Math.max(from.size, settled));
  const first = encode(from.size, fixed, from.end > 0 ? '' : head, '');
  const second = encode(fixed, unmarked, '', '');
  const third = encode(unmarked, elements.length, '', tail);
  const fixedEnd = from.end + first.length;
  const end = fixedEnd + second.length;
  const length = end + third.length;
  let bytes = known?.bytes;
  if (!bytes || known!.isLent || bytes.length < length) {
    // With room for the turns to come.
    bytes = new Uint8Array(length + (length >> 3));
    if (known) bytes.set(known.bytes.subarray(0, from.end));
  }
  bytes.set(first, from.end);
  bytes.set(second, fixedEnd);
  bytes.set(third, end);
  const body: EncodedBody = {
    ...{ head, elements, size: unmarked, bytes, end, length, owner },
    settled: { size: fixed, end: fixedEnd },
  };
  if (key) cache.bodies.set(key, [body, ...bodies.filter((other) => other !== known)].slice(0, MOST_ALIKE));
  return body;
}

/** The encoded body of which a body can take the most elements, how many these are, and where they end. */
function findEncoded(
  bodies: readonly EncodedBody[],
  head: string,
  elements: readonly Element[],
  unmarked: number,
  shared: BodyParts['shared'],
): EncodedBody['settled'] & { readonly known?: EncodedBody } {
  let best: ReturnType<typeof findEncoded> = { size: 0, end: 0 };
  for (const known of bodies) {
    if (known.head !== head) continue;
    const most = Math.min(known.size, unmarked);
    let size = known.elements === shared.elements ? Math.min(most, shared.size) : 0;
    while (size < most && isSame(known.elements[size]!, elements[size]!)) size++;
    const from = size === known.size ? known : known.settled;
    if (from.size <= size && from.size > best.size) best = { size: from.size, end: from.end, known };
  }
  return best;
}

/** Whether two elements are the same object, or the same text that stands for no message. */
function isSame(a: Element, b: Element): boolean {
  return a === b || (a.of.length === 0 && b.of.length === 0 && a.pieces[0] === b.pieces[0]);
}
