import { sql } from 'kysely';
import type { PostgresContext } from './context.ts';
import { toStored } from './values.ts';

/** Tells which writers are alive, by heartbeats that each of them writes to the database. */
interface Lease {
  isAlive(writer: string): Promise<boolean>;
  end(): Promise<void>;
}

/** Where writers leave their heartbeats. */
export interface LeaseTable {
  beat(writer: string): Promise<void>;
  /** Whether the last heartbeat is younger than this, by the clock of the database. */
  hasBeat(writer: string, seconds: number): Promise<boolean>;
  remove(writer: string): Promise<void>;
}

interface LeaseTimes {
  readonly beatMs: number;
  /** How long a writer counts as alive after its last heartbeat, by the clock of the database. */
  readonly leaseMs: number;
}

export const LEASE_MS = 30_000;
const TIMES: LeaseTimes = { beatMs: 5_000, leaseMs: LEASE_MS };

/**
 * Renews the lease of this writer every few seconds until it ends. While the database is away, nobody can renew a lease:
 * that time does not count against any writer, and neither does the time that others need to come back.
 */
export async function holdLease(
  table: LeaseTable,
  writer: string,
  { beatMs, leaseMs }: LeaseTimes = TIMES,
): Promise<Lease> {
  let lastBeat = performance.now();
  let outage = { length: 0, ended: Number.NEGATIVE_INFINITY };
  let isEnded = false;
  const beat = async () => {
    await table.beat(writer);
    const now = performance.now();
    if (now - lastBeat > 2 * beatMs) outage = { length: now - lastBeat, ended: now };
    lastBeat = now;
  };
  await beat();
  let under: Promise<void> | undefined;
  // If a heartbeat fails, the next one makes up for it. While one waits, no other follows: each would hold a connection.
  const timer = setInterval(() => {
    under ??= beat()
      .catch(() => undefined)
      .finally(() => {
        under = undefined;
      });
  }, beatMs);
  timer.unref();

  /** How long this writer itself could not renew its lease, if that is now or was a moment ago. */
  const readOutage = (): number => {
    const now = performance.now();
    const past = now - outage.ended < leaseMs ? outage.length : 0;
    return now - lastBeat > 2 * beatMs ? Math.max(past, now - lastBeat) : past;
  };

  return {
    async isAlive(other) {
      if (other === writer) return !isEnded;
      return table.hasBeat(other, (leaseMs + readOutage()) / 1000);
    },
    async end() {
      isEnded = true;
      clearInterval(timer);
      await under;
      await table.remove(writer);
    },
  };
}

export function leaseTable({ db, own }: PostgresContext): LeaseTable {
  return {
    async beat(writer) {
      await sql`
        insert into skein_writer (project, writer, beat) values (${own}, ${writer}, now())
        on conflict (project, writer) do update set beat = excluded.beat`.execute(db);
    },
    async hasBeat(writer, seconds) {
      const { rows } = await sql`
        select 1 from skein_writer
        where project = ${own} and writer = ${toStored(writer)} and beat > now() - ${seconds} * interval '1 second'
      `.execute(db);
      return rows.length > 0;
    },
    async remove(writer) {
      await sql`delete from skein_writer where project = ${own} and writer = ${writer}`.execute(db);
    },
  };
}
