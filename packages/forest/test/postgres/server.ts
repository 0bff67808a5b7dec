import { startPostgres } from '../../../../scripts/postgres.mjs';

export type Server = Awaited<ReturnType<typeof startServer>>;

/** A PostgreSQL of our own. It does not wait for the disk: the machine will not lose power. */
export const startServer = () => startPostgres(['fsync=off', 'full_page_writes=off', 'max_connections=200']);
