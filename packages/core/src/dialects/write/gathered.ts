import { type Entry, makeEntry } from './entry.ts';
import type { Job } from './job.ts';

/** Kept with the first of its entries: a history is gathered again with every turn. */
const gatherings = new WeakMap<Entry, { readonly from: readonly Entry[]; readonly to: readonly Entry[] }>();

/** Entries of one role as one, where the target takes them so. */
export function gathered(entries: readonly Entry[], { writer }: Job): readonly Entry[] {
  const [first] = entries;
  if (!first || entries.length < 2) return entries;
  const known = gatherings.get(first);
  if (known && known.from.length === entries.length && known.from.every((entry, at) => entry === entries[at]))
    return known.to;
  const unit = writer.gather(entries);
  const of = entries.flatMap((entry) => entry.of);
  const losses = entries.flatMap((entry) => entry.losses);
  const to = unit ? [makeEntry(unit, of, losses)] : entries;
  gatherings.set(first, { from: entries, to });
  return to;
}
