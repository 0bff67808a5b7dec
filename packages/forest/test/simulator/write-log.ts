/** Hears of every batch that the databases write: which exchanges are recorded, where they are placed, and how long that takes. */
import assert from 'node:assert/strict';
import type { Placement } from '@skein/forest';
import type { EntryRecord, StoreRecord } from '../../src/model/records.ts';
import { EXCHANGES, readExchangeRecord } from '../../src/record/exchange.ts';
import type { WriteListener } from './shared-database.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface WriteLog {
  readonly onWrite: WriteListener;
  /** How many exchanges whose answers were whole are recorded. */
  count(): number;
  /** Whether the exchange with a response is recorded, and the place that it has now in a database. */
  find(responseId: string, database: string): { readonly placement: Placement | undefined } | undefined;
  /** Everything that a database was given about the exchanges of a project, apart from their places. */
  exchangeRecords(project: string, database: string): readonly StoreRecord[];
  /** A database or a writer is not there until `end` is called: exchanges that are placed meanwhile do not count as slow. */
  disturb(name: string): { end(): void };
  /** For each exchange whose database and writer were there all the time: the simulated milliseconds until it was placed. */
  readonly placedAfterMs: readonly number[];
}

/** What the databases have of an exchange. */
interface StoredExchange {
  readonly id: string;
  readonly database: string;
  readonly writer: string;
  readonly endedAt: number;
  placedAt?: number;
}

export function createWriteLog(time: VirtualTime): WriteLog {
  const byResponse = new Map<string, StoredExchange>();
  const byExchange = new Map<string, StoredExchange>();
  const placements = new Map<string, { readonly clock: string; readonly placement: Placement }>();
  const exchangeRecords = new Map<string, StoreRecord[]>();
  const disturbances: { readonly of: string; readonly from: number; to: number }[] = [];
  const placedAfterMs: number[] = [];

  const noteExchange = (database: string, record: EntryRecord) => {
    const exchange = readExchangeRecord(record);
    if (exchange?.outcome !== 'done' || exchange.responseId === undefined || byExchange.has(exchange.id)) return;
    const { id, responseId, writer } = exchange;
    assert.ok(!byResponse.has(responseId), `${responseId} is recorded once`);
    const one = { id, database, writer, endedAt: time.elapsedMs() };
    byResponse.set(responseId, one);
    byExchange.set(id, one);
  };
  const notePlacement = (database: string, exchange: string, clock: string, placement: Placement) => {
    const key = `${database} ${exchange}`;
    const before = placements.get(key);
    if (!before || before.clock < clock) placements.set(key, { clock, placement });
    const one = byExchange.get(exchange);
    if (!one || one.placedAt !== undefined) return;
    one.placedAt = time.elapsedMs();
    if (!isDisturbed(one, one.placedAt)) placedAfterMs.push(one.placedAt - one.endedAt);
  };
  const isDisturbed = ({ database, writer, endedAt }: StoredExchange, placedAt: number) =>
    disturbances.some(({ of, from, to }) => (of === database || of === writer) && from <= placedAt && to >= endedAt);

  return {
    onWrite(database, project, records) {
      for (const record of records) {
        if (record.k === 'exchange') {
          const place = `${project} ${database}`;
          exchangeRecords.set(place, [...(exchangeRecords.get(place) ?? []), record]);
          if (record.of === EXCHANGES) noteExchange(database, record);
        } else if (record.k === 'ref' && record.name === 'landed')
          notePlacement(database, record.key, record.clock, record.value as Placement);
      }
    },
    count: () => byResponse.size,
    find(responseId, database) {
      const exchange = byResponse.get(responseId);
      return exchange && { placement: placements.get(`${database} ${exchange.id}`)?.placement };
    },
    exchangeRecords: (project, database) => exchangeRecords.get(`${project} ${database}`) ?? [],
    disturb(name) {
      const one = { of: name, from: time.elapsedMs(), to: Number.POSITIVE_INFINITY };
      disturbances.push(one);
      return {
        end() {
          one.to = time.elapsedMs();
        },
      };
    },
    placedAfterMs,
  };
}
