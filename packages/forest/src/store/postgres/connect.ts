import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import pg from 'pg';
import { sha256 } from '../../model/ids.ts';
import { StoreError, type StoreErrorCode } from '../store.ts';
import type { PostgresTables } from './schema.ts';

interface Connection {
  readonly db: Kysely<PostgresTables>;
  readonly pool: Pool;
  readonly target: Target;
  end(): Promise<void>;
}

/** Connects to an address with a new pool, or uses the given pool, which is not closed. */
export function connect(where: string | Pool, max: number): Connection {
  const target = typeof where === 'string' ? readTarget(where) : readPoolTarget(where);
  const pool =
    typeof where === 'string'
      ? new pg.Pool({ connectionString: where, max, connectionTimeoutMillis: 10_000, application_name: 'skein' })
      : where;
  watchPool(pool);
  let open = true;
  const connectClient = async () => {
    if (!open) throw new StoreError('store_closed', 'This store was closed. Open it again');
    try {
      return withStoreErrors(await pool.connect(), target);
    } catch (error) {
      throw toStoreError(error, target);
    }
  };
  return {
    db: new Kysely<PostgresTables>({
      dialect: new PostgresDialect({ pool: { connect: connectClient, end: async () => {} } }),
    }),
    pool,
    target,
    async end() {
      if (!open) return;
      open = false;
      if (typeof where === 'string') await pool.end();
      else unwatchPool(pool);
    },
  };
}

const ignore = () => undefined;
const stores = new WeakMap<Pool, number>();

/**
 * A broken idle connection is replaced by the pool, but without a listener its error would end the process. All stores
 * on a pool share one listener, because Node warns of more than ten.
 */
function watchPool(pool: Pool): void {
  const count = stores.get(pool) ?? 0;
  stores.set(pool, count + 1);
  if (count === 0) pool.on('error', ignore).on('acquire', ignoreErrors);
}

function unwatchPool(pool: Pool): void {
  const count = (stores.get(pool) ?? 1) - 1;
  stores.set(pool, count);
  if (count === 0) pool.off('error', ignore).off('acquire', ignoreErrors);
}

const heard = new WeakSet<PoolClient>();

/**
 * A connection that breaks emits an error in addition to the failing query; without a listener that would end the
 * process. So each connection gets a permanent listener when the pool hands it out.
 */
function ignoreErrors(client: PoolClient): void {
  if (heard.has(client)) return;
  heard.add(client);
  client.on('error', ignore);
}

const names = new Map<string, string>();

/** The name of a prepared statement, made of its text. Statements with parameters are prepared once per connection. */
function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `skein_${sha256(text).slice(0, 32)}`;
    names.set(text, name);
  }
  return name;
}

/** The client for kysely, with errors converted to `StoreError`s. */
function withStoreErrors(client: PoolClient, target: Target): PostgresPoolClient {
  const query = async (text: unknown, values: readonly unknown[]) => {
    if (typeof text !== 'string') throw new TypeError('Cursors are not used here');
    try {
      return await client.query({ text, values: [...values], ...(values.length > 0 && { name: statementName(text) }) });
    } catch (error) {
      throw toStoreError(error, target);
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: () => client.release(),
  };
}

function readTarget(address: string): Target {
  try {
    const { host, pathname, password } = new URL(address);
    return { name: `${host}${pathname}`, secrets: [password, decodeURIComponent(password), address] };
  } catch {
    return { name: 'the given address', secrets: [address] };
  }
}

function readPoolTarget({ options }: Pool): Target {
  if (options.connectionString !== undefined) return readTarget(options.connectionString);
  const { host = 'localhost', port = 5432, database = '', password } = options;
  return { name: `${host}:${port}/${database}`, secrets: typeof password === 'string' ? [password] : [] };
}

/** The name of a database for messages, and secrets that must not appear in them. */
export interface Target {
  readonly name: string;
  readonly secrets: readonly string[];
}

/** Converts an error of PostgreSQL to a `StoreError` that says what to do and never contains the password. */
function toStoreError(error: unknown, target: Target): StoreError {
  if (error instanceof StoreError) return error;
  const { code: given, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const state = typeof given === 'string' ? given : '';
  const said = String(message ?? error);
  const [code, advice] = describeCode(state, said);
  // The message about an invalid address contains the address.
  const words = state === INVALID_URL ? '' : ` (${[state, withoutSecrets(said, target.secrets)].join(' ').trim()})`;
  return new StoreError(code, `PostgreSQL at ${target.name}: ${advice}${words}`);
}

const INVALID_URL = 'ERR_INVALID_URL';

function describeCode(code: string, message: string): [StoreErrorCode, string] {
  if (code === INVALID_URL)
    return ['store_name', 'the address is invalid. Write it as postgres://user:password@host:5432/database'];
  if (code === '28P01' || code === '28000')
    return ['store_refused', 'the user or the password was refused. Check the address and pg_hba.conf'];
  if (code === '3D000') return ['store_refused', 'there is no such database. Create it with CREATE DATABASE'];
  if (code === '42501')
    return [
      'store_refused',
      'the user lacks a permission. Allow it to create tables, or make it the owner of the existing ones',
    ];
  if (code === '53100') return ['store_full', 'its disk is full. Free some space, then repeat'];
  if (code === '25006')
    return ['store_read_only', 'it is read-only, perhaps a standby. Use the address of the primary'];
  if (code === '40P01' || code === '40001')
    return ['store_conflict', 'two writers collided and nothing was written. Repeat the call'];
  if (isConnectionLoss(code, message))
    return ['store_unreachable', 'it cannot be reached, or the connection was lost. Check that it runs, then repeat'];
  return ['store_failed', 'it failed'];
}

const LOST = 'ECONNREFUSED ECONNRESET ENOTFOUND ETIMEDOUT EPIPE EHOSTUNREACH ENETUNREACH EAI_AGAIN ENOENT'.split(' ');

/** 08: connection exceptions; 57P: shutting down or starting up; 53300: too many connections. */
function isConnectionLoss(code: string, message: string): boolean {
  if (LOST.includes(code) || /^(08|57P|53300)/.test(code)) return true;
  return /connection (terminated|timeout)|timeout exceeded when trying to connect|not queryable/i.test(message);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '…')), text);
}
