import type { SystemKeys } from './evidence.ts';
import { type Hints, nothingDiffers, samePerson } from './hints.ts';
import type { Turn } from './read-exchange.ts';
import type { RecordedIndex, Spot } from './recorded-index.ts';

/**
 * The clocks of two servers differ: a request may seem to have started before the reply that it goes on from. Such requests are
 * noted by what they look for, and have their place behind the reply when that comes within the tolerance.
 */

/** Two servers' clocks differ by less than this. */
export const CLOCK_TOLERANCE_MS = 5000;

export interface EarlyRequest {
  readonly exchange: string;
  readonly start: number;
  readonly hints: Hints;
  readonly system: SystemKeys;
  readonly isNamed: boolean;
  /** It has a place under another system text: only a reply under the same is better. */
  readonly isOther: boolean;
}

interface EarlyOptions {
  readonly isNamed: boolean | undefined;
  readonly isOther: boolean;
}

/** Kept by the time they started, too, so that those of long ago cost nothing. */
export function noteEarly(
  index: RecordedIndex,
  { exchange, hints }: Turn,
  keys: readonly string[],
  { system, isNamed = false, isOther = false }: Pick<EarlyRequest, 'system'> & Partial<EarlyOptions>,
): void {
  const { id, start } = exchange;
  for (const key of keys) {
    const slot = slotKey(key, slotOf(start));
    const request: EarlyRequest = { exchange: id, start, hints, system, isNamed, isOther };
    index.set(index.early, slot, [...(index.early.get(slot) ?? []), request]);
  }
}

/** The requests that looked for one of these and came too early for it, by the clock of their server alone. */
export function findEarly(
  index: RecordedIndex,
  keys: readonly string[],
  { start, end = start }: Turn['exchange'],
  isFit: (request: EarlyRequest) => boolean,
): string[] {
  const earliest = end - CLOCK_TOLERANCE_MS;
  const found: string[] = [];
  for (const key of keys)
    for (let slot = slotOf(earliest); slot <= slotOf(start); slot++)
      for (const request of index.early.get(slotKey(key, slot)) ?? [])
        if (request.start >= earliest && isFit(request)) found.push(request.exchange);
  return found;
}

/** Whether a request that came early can go on from a reply by its words. */
export function fitsEarly(index: RecordedIndex, spot: Spot, request: EarlyRequest): boolean {
  const { isNamed, hints } = index.threads.get(spot.thread)!;
  const { dated, numbered } = request.system;
  if (isNamed || request.isNamed) return index.landings.get(request.exchange)?.thread === spot.thread;
  if (!nothingDiffers(request.hints, hints)) return false;
  return (
    dated === spot.system.dated || (!request.isOther && (numbered === spot.system.numbered || spot.longReplies > 1))
  );
}

/** The same for one that may have summed it up. */
export function fitsSummary(index: RecordedIndex, { thread }: Spot, { hints, isNamed }: EarlyRequest): boolean {
  return !isNamed && samePerson(hints, index.threads.get(thread)!.hints);
}

function slotOf(time: number): number {
  return Math.floor(time / CLOCK_TOLERANCE_MS);
}

function slotKey(key: string, slot: number): string {
  return `${key} ${slot}`;
}
