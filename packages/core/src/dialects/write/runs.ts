import { type Entry, located, writtenEntry } from './entry.ts';
import { rewritten } from './notes.ts';
import type { RequestWriter } from './writer.ts';

/** Runs of one role as one element, for chat templates that insist on taking turns. */
export function mergeRuns(entries: readonly Entry[], writer: RequestWriter): readonly Entry[] {
  const merged: Entry[] = [];
  for (let at = 0; at < entries.length; ) {
    const { role } = entries[at]!.unit;
    let end = at + 1;
    while (entries[end]?.unit.role === role) end++;
    merged.push(...oneOf(entries.slice(at, end), writer));
    at = end;
  }
  return merged;
}

function oneOf(run: readonly Entry[], writer: RequestWriter): readonly Entry[] {
  const unit = run.length > 1 ? writer.gather(run.map((entry) => entry.unit)) : undefined;
  if (!unit) return run;
  const of = run.flatMap((entry) => entry.of);
  const notes = run.slice(1).map((entry) => located(rewritten('', 'merged', unit.role), entry.of[0] ?? -1));
  return [writtenEntry(unit, of, [...run.flatMap((entry) => entry.losses), ...notes])];
}
