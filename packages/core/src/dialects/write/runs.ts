import { type Entry, notesOn } from './entry.ts';
import { gathered } from './gathered.ts';
import type { Job } from './job.ts';
import { rewritten } from './notes.ts';

/** Runs of one role as one element, for chat templates that insist on taking turns. */
export function mergeRuns(entries: readonly Entry[], job: Job): readonly Entry[] {
  const merged: Entry[] = [];
  for (let at = 0; at < entries.length; ) {
    const { role } = entries[at]!;
    const run = entries.slice(
      at,
      endOfRun(entries, at, (entry) => entry.role === role),
    );
    const [first, ...others] = run;
    const [one, ...more] = gathered(run, job);
    if (more.length > 0) merged.push(first!, ...others);
    else {
      const notes = others.flatMap((entry) => notesOn(entry, rewritten('', 'merged', role)));
      merged.push({ ...one!, losses: [...one!.losses, ...notes] });
    }
    at += run.length;
  }
  return merged;
}

export function endOfRun(entries: readonly Entry[], start: number, holds: (entry: Entry) => boolean): number {
  let end = start;
  while (end < entries.length && holds(entries[end]!)) end++;
  return end;
}
