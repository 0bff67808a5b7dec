import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import type { Store } from '../store.ts';
import { append } from './append.ts';
import { changes, createChangeSignal } from './changes.ts';
import { connect } from './connect.ts';
import { createContext, type PostgresContext } from './context.ts';
import { check, compact } from './maintenance.ts';
import type { PostgresOptions } from './postgres-store.ts';
import { nodeQueries, recordQueries, search } from './queries.ts';
import { toStored } from './rows.ts';
import { migrate } from './schema.ts';

const CONNECTIONS = 10;

export async function open(
  where: string | Pool,
  { project, connections = CONNECTIONS }: PostgresOptions,
): Promise<Store> {
  const connection = connect(where, connections);
  const context = createContext(connection.db, project);
  const writer = `p${randomUUID().slice(0, 8)}`;
  try {
    await migrate(connection.db as Kysely<never>, connection.target);
    const lease = await holdLease(context, writer);
    const wake = createChangeSignal(context, connection.pool, writer);
    let closing: Promise<void> | undefined;
    const close = async () => {
      // If the database is gone, the lease expires by itself.
      await Promise.allSettled([wake.end(), lease.end()]);
      await connection.end();
    };
    return {
      writer,
      async append(records) {
        if (await append(connection.db, project, records)) wake.tell();
      },
      ...nodeQueries(context),
      ...recordQueries(context),
      search: (query) => search(context, query),
      changes: (after) => changes(context, after),
      watch: wake.watch,
      isAlive: lease.isAlive,
      problems: () => [...context.problems.values()],
      check: () => check(context),
      compact: (keep) => compact(context, keep),
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await connection.end();
    throw error;
  }
}

/** How long a writer counts as alive after its last heartbeat, by the clock of the database. */
const LEASE_SECONDS = 30;
const BEAT_MS = 5_000;

interface Lease {
  isAlive(writer: string): Promise<boolean>;
  end(): Promise<void>;
}

/** Renews the lease of this writer every few seconds until it ends. */
async function holdLease({ db, own }: PostgresContext, writer: string, beatMs = BEAT_MS): Promise<Lease> {
  const beat = async () => {
    await sql`
      insert into skein_writer (project, writer, beat) values (${own}, ${writer}, now())
      on conflict (project, writer) do update set beat = excluded.beat`.execute(db);
  };
  await beat();
  let under: Promise<void> = Promise.resolve();
  // If a heartbeat fails, the next one makes up for it.
  const timer = setInterval(() => {
    under = beat().catch(() => undefined);
  }, beatMs);
  timer.unref();

  return {
    async isAlive(other) {
      const { rows } = await sql`
        select from skein_writer
        where project = ${own} and writer = ${toStored(other)} and beat > now() - make_interval(secs => ${LEASE_SECONDS})
      `.execute(db);
      return rows.length > 0;
    },
    async end() {
      clearInterval(timer);
      await under;
      await sql`delete from skein_writer where project = ${own} and writer = ${writer}`.execute(db);
    },
  };
}
