import type { Loss } from '../loss.ts';
import { type Entry, located, writtenEntry } from './entry.ts';
import { dropped } from './notes.ts';
import type { RequestWriter } from './writer.ts';

/** Leaves out what only makes sense together with something that is not there; see `RequestWriter.settle`. */
export function settle(
  entries: readonly Entry[],
  isWhole: boolean,
  writer: RequestWriter,
): { readonly entries: readonly Entry[]; readonly losses: readonly Loss[] } {
  const settled = writer.settle?.(
    entries.map((entry) => entry.unit),
    isWhole,
  );
  if (!settled || settled.size === 0) return { entries, losses: [] };
  const losses: Loss[] = [];
  const kept = entries.flatMap((entry, index) => {
    if (!settled.has(index)) return [entry];
    const unit = settled.get(index);
    const message = entry.of[0] ?? -1;
    // A unit's own losses include those it had before.
    if (unit)
      return [
        writtenEntry(
          unit,
          entry.of,
          unit.losses.map((note) => located(note, message)),
        ),
      ];
    losses.push(...entry.losses, located(dropped('', 'server-tool'), message));
    return [];
  });
  return { entries: kept, losses };
}
