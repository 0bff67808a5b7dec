/** The registers that hold the places of exchanges. */
import { makeRef, readRefs } from '../../forest/index.ts';
import { stampAfter } from '../../model/clock.ts';
import type { RefRecord } from '../../model/records.ts';
import { type Placement, readPlacement } from '../placement.ts';
import type { RecordingForest } from '../recorder.ts';

/** The name of such a register. */
export const PLACEMENT_REF = 'landed';

/** An exchange with a new or a changed placement. */
export interface PlacementChange {
  readonly exchange: string;
  readonly before: Placement | undefined;
  readonly after: Placement;
}

export function readPlacementRefs(forest: RecordingForest, exchanges: readonly string[]): Promise<RefRecord[]> {
  return readRefs(forest, 'forest', exchanges, [PLACEMENT_REF]);
}

/**
 * Prepares the registers of exchanges that have a new place; they are made when the result is called, so that their stamps are the last
 * ones. `concluded` has the stamps of the exchanges that others closed. Their places get stamps earlier than any that a process gives to
 * the place of the end, so that the end counts where both meet.
 */
export function makePlacementRefs(
  forest: RecordingForest,
  changes: readonly PlacementChange[],
  concluded: ReadonlyMap<string, string>,
  stored: readonly RefRecord[],
): () => RefRecord[] {
  const stamps = new Map(stored.map(({ key, clock }) => [key, stampAfter(clock)]));
  return () =>
    changes.map(({ exchange, after }) => {
      const ref = makeRef(forest, 'forest', exchange, PLACEMENT_REF, after);
      const clock = concluded.get(exchange);
      return clock === undefined ? ref : { ...ref, clock: stamps.get(exchange) ?? clock };
    });
}

/** The places that other processes have given to these exchanges since they were read. */
export function placedByOthers(changes: readonly PlacementChange[], stored: readonly RefRecord[]): PlacementChange[] {
  const places = new Map(stored.map(({ key, value }) => [key, readPlacement(value)]));
  return changes.map(({ exchange, after }) => ({ exchange, before: places.get(exchange), after }));
}

export function isSamePlace(a: Placement | undefined, b: Placement): boolean {
  return stable(a) === stable(b);
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
