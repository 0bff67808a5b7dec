import { digest } from '../../json/index.ts';
import type { Element } from '../manifest.ts';

/**
 * The rolling hash that bound reasoning is checked against: over the texts of system and tools, then over each
 * element as sent. Model, parameters and cache markers do not count.
 */
export function prefixStart(base: string): string {
  return digest(`skein-prefix/1\n${base}`);
}

/** `messages`: the digests of the messages that the elements cut. */
export function prefixAfter(prefix: string, element: Element, messages: readonly string[]): string {
  const kept = steps.get(element);
  if (kept?.before === prefix) return kept.after;
  const after = digest(`${prefix}\n${elementDigest(element, messages)}`);
  steps.set(element, { before: prefix, after });
  return after;
}

export function prefixOver(start: string, elements: readonly Element[], messages: readonly string[]): string {
  let prefix = start;
  for (const element of elements) prefix = prefixAfter(prefix, element, messages);
  return prefix;
}

/** Sending a long history again must not hash it again: each element remembers its last step. */
const steps = new WeakMap<Element, { before: string; after: string }>();

/** A digest of the element's text; ranges of a message stand for their text by the message's own digest. */
function elementDigest({ pieces, plain = pieces }: Element, messages: readonly string[]): string {
  return plain
    .map((piece) =>
      typeof piece === 'string' ? digest(piece) : `${messages[piece.message]}:${piece.start}:${piece.end}`,
    )
    .join(' ');
}
