import { type Entry, makeEntry, notesOn } from './entry.ts';
import type { Job } from './job.ts';
import { dropped } from './notes.ts';

/** Leaves out what only makes sense together with something that is not there; see `RequestWriter.settle`. */
export function settle(entries: readonly Entry[], isWhole: boolean, { writer, lost }: Job): readonly Entry[] {
  const settled = writer.settle?.(entries, isWhole);
  if (!settled?.size) return entries;
  return entries.flatMap((entry, index) => {
    if (!settled.has(index)) return [entry];
    const unit = settled.get(index);
    // A unit's own losses include those it had before.
    if (unit) return [makeEntry(unit, entry.of, notesOn(entry, ...unit.losses))];
    lost.push(...entry.losses, ...notesOn(entry, dropped('', 'server-tool')));
    return [];
  });
}
