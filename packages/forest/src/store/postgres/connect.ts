import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg, { type Pool, type PoolClient } from 'pg';
import { sha256 } from '../../model/index.ts';
import { StoreError } from '../store-error.ts';
import { type Target, toStoreError } from './errors.ts';
import type { Tables } from './schema.ts';

export interface Connection {
  readonly db: Kysely<Tables>;
  readonly pool: Pool;
  readonly target: Target;
  end(): Promise<void>;
}

/** A pool of our own for an address, or the one that is given, which stays its owner's. */
export function connect(where: string | Pool, max: number): Connection {
  const target = typeof where === 'string' ? targetOfAddress(where) : targetOfPool(where);
  const pool =
    typeof where === 'string'
      ? new pg.Pool({ connectionString: where, max, connectionTimeoutMillis: 10_000, application_name: 'skein' })
      : where;
  attend(pool);
  let open = true;
  const connectClient = async () => {
    if (!open) throw new StoreError('store_closed', 'This store was closed. Open it again');
    try {
      return wrap(await pool.connect(), target);
    } catch (error) {
      throw toStoreError(error, target);
    }
  };
  return {
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { connect: connectClient, end: async () => {} } }) }),
    pool,
    target,
    async end() {
      if (!open) return;
      open = false;
      if (typeof where === 'string') await pool.end();
      else leave(pool);
    },
  };
}

const ignore = () => undefined;
const stores = new WeakMap<Pool, number>();

/**
 * An idle connection that breaks is replaced by the pool; without a listener it would end the process. One listener for all
 * stores on a pool: of more than ten Node warns.
 */
function attend(pool: Pool): void {
  const count = stores.get(pool) ?? 0;
  stores.set(pool, count + 1);
  if (count === 0) pool.on('error', ignore).on('acquire', hear);
}

function leave(pool: Pool): void {
  const count = (stores.get(pool) ?? 1) - 1;
  stores.set(pool, count);
  if (count === 0) pool.off('error', ignore).off('acquire', hear);
}

const heard = new WeakSet<PoolClient>();

/**
 * A connection that breaks while it is in use, or while the pool lets go of it, says so once more beside the query that
 * fails; unheard, that would end the process. So each is listened to for good, from the moment the pool hands it out.
 */
function hear(client: PoolClient): void {
  if (heard.has(client)) return;
  heard.add(client);
  client.on('error', ignore);
}

const names = new Map<string, string>();

/** Statements with parameters are prepared once per connection, under a name made of their text. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `skein_${sha256(text).slice(0, 32)}`;
    names.set(text, name);
  }
  return name;
}

/** What kysely needs of a client, with errors in our words. */
function wrap(client: PoolClient, target: Target): PostgresPoolClient {
  const query = async (text: unknown, values: readonly unknown[] = []) => {
    if (typeof text !== 'string') throw new TypeError('Cursors are not used here');
    try {
      return await client.query({ text, values: [...values], ...(values.length > 0 && { name: nameOf(text) }) });
    } catch (error) {
      throw toStoreError(error, target);
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: () => client.release(),
  };
}

function targetOfAddress(address: string): Target {
  try {
    const { host, pathname, password } = new URL(address);
    return { name: `${host}${pathname}`, secrets: [password, decodeURIComponent(password), address] };
  } catch {
    return { name: 'the given address', secrets: [address] };
  }
}

function targetOfPool({ options }: Pool): Target {
  if (options.connectionString !== undefined) return targetOfAddress(options.connectionString);
  const { host = 'localhost', port = 5432, database = '', password } = options;
  return { name: `${host}:${port}/${database}`, secrets: typeof password === 'string' ? [password] : [] };
}
