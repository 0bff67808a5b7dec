// A separate PostgreSQL server that waits for the disk, as in production, with the driver and the binaries of the forest package.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { startPostgres as start } from '../scripts/postgres.mjs';

const fromForest = createRequire(new URL('../packages/forest/package.json', import.meta.url));

/** @param {string} name */
export async function importOfForest(name) {
  return import(pathToFileURL(fromForest.resolve(name)).href);
}

/** @param {string[]} more settings */
export const startPostgres = (...more) => start(['shared_buffers=512MB', 'max_wal_size=4GB', ...more]);
