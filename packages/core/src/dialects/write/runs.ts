import { type Entry, located, writtenEntry } from './entry.ts';
import { rewritten } from './notes.ts';
import type { RequestWriter } from './writer.ts';

/** Runs of one role as one element, for chat templates that insist on taking turns. */
export function mergeRuns(entries: readonly Entry[], writer: RequestWriter): readonly Entry[] {
  const merged: Entry[] = [];
  for (const entry of entries) {
    const last = merged.at(-1);
    const unit = last && last.unit.role === entry.unit.role ? writer.gather([last.unit, entry.unit]) : undefined;
    if (!last || !unit) {
      merged.push(entry);
      continue;
    }
    const note = rewritten('', 'merged', entry.unit.role);
    merged[merged.length - 1] = writtenEntry(
      unit,
      [...last.of, ...entry.of],
      [...last.losses, ...entry.losses, located(note, entry.of[0] ?? -1)],
    );
  }
  return merged;
}
