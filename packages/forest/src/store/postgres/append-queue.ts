import { isSkeinError } from '@skein/core';
import type { StoreRecord } from '../../model/records.ts';
import { append } from './append.ts';
import type { PostgresContext } from './context.ts';
import { type Lane, leaveLanes, takeLane } from './lanes.ts';

/** The appends of one store, in its lanes. */
interface AppendQueue {
  /** Whether anything was new. */
  append(records: readonly StoreRecord[]): Promise<boolean>;
  /** Waits for appends under way, and leaves the lanes to others. */
  end(): Promise<void>;
}

interface Waiting {
  readonly records: readonly StoreRecord[];
  resolve(isNew: boolean): void;
  reject(error: unknown): void;
}

/** Room for one append at a time; its lane is taken when it is first used. */
interface Slot {
  lane?: Lane | undefined;
}

/** How many appends of a store run at once. A second one keeps a long import from holding up everything else. */
const LANES = 2;
/** How many records of several callers are written together. */
const MOST_RECORDS = 500;

/**
 * Appends that come while all lanes are busy are written together, in one statement: that is one number, one round trip
 * and one flush for all of them.
 */
export function createAppendQueue(context: PostgresContext, writer: string): AppendQueue {
  const waiting: Waiting[] = [];
  const running = new Set<Promise<void>>();
  const free: Slot[] = Array.from({ length: LANES }, () => ({}));

  const write = async (slot: Slot, records: readonly StoreRecord[]): Promise<boolean> => {
    for (;;) {
      slot.lane ??= await takeLane(context, writer);
      const isNew = await append(context.db, context.project, slot.lane, records);
      if (isNew !== undefined) return isNew;
      slot.lane = undefined;
    }
  };

  /** Whether any was new is told to all: it only wakes readers. */
  const writeTogether = async (slot: Slot, batch: readonly Waiting[]): Promise<void> => {
    try {
      const isNew = await write(
        slot,
        batch.flatMap(({ records }) => records),
      );
      for (const { resolve } of batch) resolve(isNew);
    } catch (error) {
      if (batch.length === 1 || isSkeinError(error, 'store_unreachable')) for (const { reject } of batch) reject(error);
      // One of them was refused, and the others need not be.
      else for (const one of batch) await writeTogether(slot, [one]);
    }
  };

  const start = () => {
    while (waiting.length > 0) {
      const slot = free.shift();
      if (slot === undefined) return;
      const run = writeTogether(slot, takeBatch(waiting)).then(() => {
        free.unshift(slot);
        running.delete(run);
        start();
      });
      running.add(run);
    }
  };

  return {
    append(records) {
      if (records.length === 0) return Promise.resolve(false);
      return new Promise((resolve, reject) => {
        waiting.push({ records, resolve, reject });
        start();
      });
    },
    async end() {
      while (running.size > 0) await Promise.all(running);
      await leaveLanes(context, writer);
    },
  };
}

/** The first of the waiting appends, and those after it that are small enough to go with it. */
function takeBatch(waiting: Waiting[]): Waiting[] {
  let records = 0;
  let count = 0;
  for (const one of waiting) {
    records += one.records.length;
    if (count > 0 && records > MOST_RECORDS) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
