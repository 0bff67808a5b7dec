/** Records of recordings that waited for their store. */
import { isSkeinError, SkeinError } from '@skein/core';
import { type StoreRecord, utf8Bytes } from '../model/records.ts';
import { EXCHANGES } from './exchange.ts';
import type { RecordingForest } from './recorder.ts';

/** Recordings that are not stored. */
export class RecordingError extends SkeinError {
  override readonly name = 'RecordingError';
  /** `recording_waits`: they are kept, and lost if the process ends before the store takes them. */
  readonly code: 'recording_waits' | 'recording_lost';
  /** The ids of the exchanges; none if all are stored, and only their place in the tree is missing. */
  readonly exchanges: readonly string[];

  constructor(code: RecordingError['code'], ids: Iterable<string>, reason: string) {
    const exchanges = [...new Set(ids)];
    super(describeError(code, exchanges, reason));
    this.code = code;
    this.exchanges = exchanges;
  }
}

function describeError(code: RecordingError['code'], exchanges: readonly string[], reason: string): string {
  if (exchanges.length === 0) return `What was recorded could not be placed in the tree yet: ${reason}`;
  const named = exchanges.length === 1 ? `Exchange ${exchanges[0]}` : `${exchanges.length} exchanges`;
  const all = exchanges.length > 1 ? ` (${exchanges.join(', ')})` : '';
  const what = code === 'recording_lost' ? 'could not be recorded' : 'could not be stored yet, and wait in memory';
  return `${named} ${what}: ${reason}${all}`;
}

/** Stores records that waited. Those that the store refuses on their own are lost. */
export async function storeWaiting(
  forest: RecordingForest,
  given: readonly StoreRecord[],
  report: (error: unknown) => void,
): Promise<void> {
  const { store } = forest;
  const records = await Promise.all(given.map((record) => restamp(forest, record)));
  try {
    await store.append(records);
    return;
  } catch (error) {
    if (isOutage(error) || records.length === 1) throw error;
  }
  const refused: StoreRecord[] = [];
  let last: unknown;
  for (const record of records) {
    try {
      await store.append([record]);
    } catch (error) {
      if (isOutage(error)) throw error;
      refused.push(record);
      last = error;
    }
  }
  // A store that takes nothing at all may take it later.
  if (refused.length === records.length) throw last;
  if (refused.length > 0) report(new RecordingError('recording_lost', exchangesIn(refused), messageOf(last)));
}

/** A release before 0.2 may have closed an exchange, as it seemed to be lost, with a stamp that is later than that of its end. */
async function restamp({ store, clock }: RecordingForest, record: StoreRecord): Promise<StoreRecord> {
  if (record.k !== 'exchange' || record.of !== EXCHANGES || record.data.outcome === 'open') return record;
  const stored = await store.entry('exchange', record.id);
  if (!stored || stored.clock <= record.clock) return record;
  clock.see(stored.clock);
  return { ...record, clock: clock.tick() };
}

const OUTAGES = [
  'store_unreachable',
  'store_read_only',
  'store_full',
  'store_refused',
  'store_in_use',
  'store_closed',
] as const;

/** Whether the store would refuse anything at the moment: a system call that fails says nothing about a record. */
export function isOutage(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly syscall?: unknown } };
  return isSkeinError(error, ...OUTAGES) || typeof cause?.syscall === 'string';
}

/** The exchanges that records of recordings belong to: that they describe, are a part of, or lead to. */
export function exchangesIn(records: readonly StoreRecord[]): string[] {
  return records.flatMap((record) => {
    if (record.k === 'ref') return String(record.value);
    return record.k === 'exchange' ? (record.of === EXCHANGES ? record.id : record.of) : [];
  });
}

/** About how much memory records take. */
export function sizeOf(records: readonly StoreRecord[]): number {
  return records.reduce((sum, record) => sum + RECORD_BYTES + textLength(record), 0);
}

const RECORD_BYTES = 500;

function textLength(record: StoreRecord): number {
  if (record.k !== 'exchange') return 0;
  const text = utf8Bytes(record.data) ?? record.data.text ?? record.data.base64;
  return typeof text === 'string' || text instanceof Uint8Array ? text.length : 0;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
