import type { Pool } from 'pg';
import type { Store } from '../store.ts';

export interface PostgresOptions {
  /** Separates one forest from another in the same database. */
  readonly project: string;
  /** The most connections of a pool of our own; default 10. One more listens while somebody watches. */
  readonly connections?: number;
}

/**
 * A forest in PostgreSQL 13 or later, for any number of servers at once (docs/postgres.md). Makes and upgrades its
 * tables. A pool that is given stays its owner's to end.
 */
export async function postgresStore(where: string | Pool, options: PostgresOptions): Promise<Store> {
  // Those who keep their forest in files do not load a database driver.
  const { open } = await import('./open.ts');
  return open(where, options);
}
