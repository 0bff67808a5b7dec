import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Store } from '../store.ts';
import { append } from './append.ts';
import { changes } from './changes.ts';
import { check } from './check.ts';
import { compact } from './compact.ts';
import { connect } from './connect.ts';
import { contextOf } from './context.ts';
import { holdLease } from './lease.ts';
import { migrate } from './migrations.ts';
import type { PostgresOptions } from './postgres-store.ts';
import { nodeReads } from './read-nodes.ts';
import { thingReads } from './read-things.ts';
import { search } from './search.ts';
import { createWake } from './wake.ts';

const CONNECTIONS = 10;

export async function open(
  where: string | Pool,
  { project, connections = CONNECTIONS }: PostgresOptions,
): Promise<Store> {
  const connection = connect(where, connections);
  const context = contextOf(connection.db, project);
  const writer = `p${randomUUID().slice(0, 8)}`;
  try {
    await migrate(connection.db as Kysely<never>, connection.target);
    const lease = await holdLease(context, writer);
    const wake = createWake(context, connection.pool, writer);
    let closing: Promise<void> | undefined;
    const close = async () => {
      // A database that is gone cannot be told; the lease runs out by itself.
      await Promise.allSettled([wake.end(), lease.end()]);
      await connection.end();
    };
    return {
      writer,
      async append(records) {
        if (await append(connection.db, project, records)) wake.tell();
      },
      ...nodeReads(context),
      ...thingReads(context),
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
