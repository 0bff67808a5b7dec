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

/** Those of long ago are dropped: exchanges come in the order of their starts, and only the last few seconds count. */
export function noteEarly(
  index: RecordedIndex,
  { exchange, hints }: Turn,
  keys: readonly string[],
  { system, isNamed = false, isOther = false }: Pick<EarlyRequest, 'system'> & Partial<EarlyOptions>,
): void {
  const { id, start } = exchange;
  const request: EarlyRequest = { exchange: id, start, hints, system, isNamed, isOther };
  for (const key of keys) {
    const there = index.early.get(key)?.filter((one) => one.start > start - 2 * CLOCK_TOLERANCE_MS) ?? [];
    index.set(index.early, key, [...there, request]);
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
  if (earliest > start) return [];
  const found: string[] = [];
  for (const key of keys)
    for (const request of index.early.get(key) ?? [])
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
