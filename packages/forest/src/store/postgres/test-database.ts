import { EventEmitter } from 'node:events';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import { connect } from './connect.ts';
import type { PostgresContext } from './context.ts';
import type { PostgresTables } from './schema.ts';

type Answer = (query: { text: string; values: unknown[] }) => Promise<{ rows: unknown[] }>;

/** A pool without a server, which answers every statement in this way. */
export function makePool(answer: Answer): Pool {
  const client = Object.assign(new EventEmitter(), { query: answer, release: () => undefined });
  return Object.assign(new EventEmitter(), { options: {}, connect: async () => client }) as unknown as Pool;
}

/** A database without a server, which answers every statement in this way. */
export function makeDatabase(answer: Answer): Kysely<PostgresTables> {
  return connect(makePool(answer), 1).db;
}

/** What the queries of the project `p` share in it. */
export function makeContext(answer: Answer): PostgresContext {
  return { db: makeDatabase(answer), project: 'p', own: 'p', hasPlannerSettings: true, problems: new Map() };
}
