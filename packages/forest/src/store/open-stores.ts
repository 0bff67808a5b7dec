/** How the stores that need more code are opened: each loads its own when it is asked for. */
import type { Pool } from 'pg';
import type { FileStoreOptions } from './file/file-store.ts';
import type { Store } from './store.ts';

/**
 * Opens the store of a forest in a folder. Several processes may use it at once. The first write creates the folder.
 *
 * @example
 * const forest = createForest(await fileStore('./forest', { project: 'notes' }));
 */
export async function fileStore(folder: string, options: FileStoreOptions = {}): Promise<Store> {
  // Loaded lazily, so that other stores do not load what reads and writes segments.
  return (await import('./file/file-store.ts')).fileStore(folder, options);
}

/** Options of `postgresStore`. */
export interface PostgresOptions {
  /** Separates one forest from another in the same database. */
  readonly project: string;
  /**
   * The maximum number of connections if the store makes its own pool; default 10. One more listens while somebody
   * watches.
   */
  readonly connections?: number;
  /**
   * For how many milliseconds an operation is repeated while the database cannot be reached; default 60,000. That is
   * longer than a cluster usually needs to replace a primary that died. Opening the store is not repeated.
   */
  readonly patience?: number;
}

/**
 * Opens a store in PostgreSQL 13 or later, for any number of servers at once (docs/postgres.md). It creates and
 * upgrades its tables. A pool that is passed in is not closed.
 *
 * @example
 * const store = await postgresStore('postgres://user:password@host/database', { project: 'notes' });
 */
export async function postgresStore(where: string | Pool, options: PostgresOptions): Promise<Store> {
  // Loaded lazily, so that file stores do not load a database driver.
  const { open } = await import('./postgres/open.ts');
  return open(where, options);
}
