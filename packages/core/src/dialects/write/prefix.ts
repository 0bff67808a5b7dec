import { digest } from '../../json/index.ts';
import type { Entry } from './entry.ts';
import type { Unit } from './writer.ts';

/**
 * The rolling hash that bound reasoning is checked against: over the texts of system and tools, then over each
 * element as sent. Model, parameters and cache markers do not count.
 */
export function prefixStart(base: string): string {
  return digest(`skein-prefix/1\n${base}`);
}

export function prefixAfter(prefix: string, entry: Entry): string {
  const kept = steps.get(entry.unit);
  if (kept?.before === prefix) return kept.after;
  const after = digest(`${prefix}\n${elementDigest(entry)}`);
  steps.set(entry.unit, { before: prefix, after });
  return after;
}

/** Sending a long history again must not hash it again: each unit remembers its last step. */
const steps = new WeakMap<Unit, { before: string; after: string }>();

/** A digest of the element's text; a text that is cut from its message in one piece takes the message's own. */
function elementDigest({ unit, message }: Entry): string {
  const [piece, ...more] = unit.pieces ?? [];
  if (!message || piece === undefined || typeof piece === 'string' || more.length > 0) return digest(unit.text);
  return `${message.facts.digest}:${piece.start}:${message.raw.length - piece.end}`;
}
