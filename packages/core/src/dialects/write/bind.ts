import { isPrefixBound } from './bound.ts';
import { elementOf } from './elements.ts';
import { type Entry, entryOf, notesOn } from './entry.ts';
import type { Job } from './job.ts';
import { dropped } from './notes.ts';
import { prefixAfter } from './prefix.ts';
import { splicedUnits } from './units.ts';

/**
 * Walks the elements in order and leaves out reasoning that is bound to another prefix than the one it would stand
 * behind now (`prefix-binding`). What follows is checked against the prefix as it then is.
 */
export function dropUnbound(entries: readonly Entry[], start: () => string, job: Job): readonly Entry[] {
  if (!isPrefixBound(job.target)) return entries;
  const kept: Entry[] = [];
  let prefix = start();
  for (const entry of entries) {
    const parts = isBoundElsewhere(entry, prefix) ? withoutBound(entry, job) : [entry];
    if (parts.length === 0) job.lost.push(...notesOn(entry, dropped('', 'prefix-bound')));
    for (const part of parts) {
      if (!part.text) {
        job.lost.push(...part.losses);
        continue;
      }
      kept.push(part);
      prefix = prefixAfter(prefix, elementOf(part), job.messages);
    }
  }
  return kept;
}

function isBoundElsewhere({ bound, message }: Entry, prefix: string): boolean {
  return bound === true && (message?.origin.prefix ?? prefix) !== prefix;
}

function withoutBound({ of, message }: Entry, job: Job): Entry[] {
  const index = of[0]!;
  return splicedUnits(message!, index, job, true).map((unit) => entryOf(unit, index, message));
}
