import { EventEmitter } from 'node:events';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import { connect } from './connect.ts';
import type { PostgresContext } from './context.ts';
import type { PostgresTables } from './schema.ts';

/** A database without a server, which answers every statement in this way. */
export function makeDatabase(
  answer: (query: { text: string; values: unknown[] }) => Promise<{ rows: unknown[] }>,
): Kysely<PostgresTables> {
  const pool = Object.assign(new EventEmitter(), {
    options: {},
    connect: async () => ({ query: answer, release: () => undefined }),
  });
  return connect(pool as unknown as Pool, 1).db;
}

/** What the queries of the project `p` share in it. */
export function makeContext(...[answer]: Parameters<typeof makeDatabase>): PostgresContext {
  return { db: makeDatabase(answer), project: 'p', own: 'p', hasPlannerSettings: true, problems: new Map() };
}
