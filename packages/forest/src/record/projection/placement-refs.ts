/** The registers that hold the places of exchanges. */
import { makeRef, readRefs } from '../../forest/index.ts';
import { stampAfter } from '../../model/clock.ts';
import type { RefRecord } from '../../model/records.ts';
import type { Placement } from '../placement.ts';
import type { RecordingForest } from '../recorder.ts';

/** The name of such a register. */
export const PLACEMENT_REF = 'landed';

export function readPlacementRefs(forest: RecordingForest, exchanges: readonly string[]): Promise<RefRecord[]> {
  return readRefs(forest, 'forest', exchanges, [PLACEMENT_REF]);
}

/**
 * Prepares the registers of exchanges that have a new place; they are made when the result is called, so that their stamps are the last
 * ones. `concluded` has the stamps of the exchanges that others closed. Their places get stamps earlier than any that a process gives to
 * the place of the end, so that the end counts where both meet.
 */
export async function makePlacementRefs(
  forest: RecordingForest,
  changes: readonly { readonly exchange: string; readonly after: Placement }[],
  concluded: ReadonlyMap<string, string>,
): Promise<() => RefRecord[]> {
  const stored = await readPlacementRefs(
    forest,
    changes.map(({ exchange }) => exchange),
  );
  const stamps = new Map(stored.map(({ key, clock }) => [key, stampAfter(clock)]));
  return () =>
    changes.map(({ exchange, after }) => {
      const ref = makeRef(forest, 'forest', exchange, PLACEMENT_REF, after);
      const clock = concluded.get(exchange);
      return clock === undefined ? ref : { ...ref, clock: stamps.get(exchange) ?? clock };
    });
}
