import { digest } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { type Element, joinElement } from '../manifest.ts';

/**
 * The rolling hash that bound reasoning is checked against: over the texts of system and tools, then over each
 * element as sent. Model, parameters and cache markers do not count.
 */
export function prefixStart(base: string): string {
  return digest(`skein-prefix/1\n${base}`);
}

export function prefixAfter(prefix: string, element: Element, messages: readonly Message[]): string {
  const kept = steps.get(element);
  if (kept?.before === prefix) return kept.after;
  const after = digest(`${prefix}\n${elementDigest(element, messages)}`);
  steps.set(element, { before: prefix, after });
  return after;
}

export function prefixOver(start: string, elements: readonly Element[], messages: readonly Message[]): string {
  let prefix = start;
  for (const element of elements) prefix = prefixAfter(prefix, element, messages);
  return prefix;
}

/** Sending a long history again must not hash it again: each element remembers its last step. */
const steps = new WeakMap<Element, { before: string; after: string }>();

/** The digest of the element's text; a whole message has its own at hand. */
function elementDigest({ pieces, plain = pieces }: Element, messages: readonly Message[]): string {
  const [piece, ...more] = plain;
  if (typeof piece === 'object' && more.length === 0 && piece.start === 0) {
    const { raw, facts } = messages[piece.message]!;
    if (piece.end === raw.length) return facts.digest;
  }
  return digest(joinElement({ of: [], pieces: plain }, (index) => messages[index]!.raw));
}
