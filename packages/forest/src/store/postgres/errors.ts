/** A database that could not be reached, or that refused. The message says what to do and never has the password. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';
  readonly code: PostgresErrorCode;
  /** Whether the same may work later. Repeating an append is safe: what is there already is not written again. */
  readonly retryable: boolean;
  /** PostgreSQL's own code, when it answered. */
  readonly sqlState: string | undefined;

  constructor(code: PostgresErrorCode, message: string, sqlState?: string) {
    super(message);
    this.code = code;
    this.sqlState = sqlState;
    this.retryable = RETRYABLE.has(code);
  }
}

export type PostgresErrorCode =
  | 'store_address'
  | 'store_unreachable'
  | 'store_refused'
  | 'store_full'
  | 'store_read_only'
  | 'store_conflict'
  | 'store_newer'
  | 'store_closed'
  | 'store_failed';

const RETRYABLE: ReadonlySet<PostgresErrorCode> = new Set([
  'store_unreachable',
  'store_full',
  'store_read_only',
  'store_conflict',
]);

/** Where a database is, for messages, and what must not be in them. */
export interface Target {
  readonly name: string;
  readonly secrets: readonly string[];
}

/** What went wrong, in our words, with what to do about it. */
export function toPostgresError(error: unknown, target: Target): PostgresError {
  if (error instanceof PostgresError) return error;
  const { code: given, message: said } = (error ?? {}) as { code?: unknown; message?: unknown };
  const state = typeof given === 'string' ? given : '';
  const [code, advice] = meaningOf(state, String(said ?? error));
  const words = code === 'store_address' ? '' : ` (${withoutSecrets(String(said ?? error), target.secrets)})`;
  const sqlState = /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
  return new PostgresError(code, `PostgreSQL at ${target.name}: ${advice}${words}`, sqlState);
}

function meaningOf(code: string, message: string): [PostgresErrorCode, string] {
  if (code === 'ERR_INVALID_URL')
    return ['store_address', 'the address cannot be read. It looks like postgres://user:password@host:5432/database'];
  if (code === '28P01' || code === '28000')
    return ['store_refused', 'the user or the password was refused. Check the address and pg_hba.conf'];
  if (code === '3D000') return ['store_refused', 'there is no such database. Create it with CREATE DATABASE'];
  if (code === '42501')
    return ['store_refused', 'the user lacks a right. Let it create tables, or own those there are'];
  if (code === '53100') return ['store_full', 'the disk is full. Make room, then repeat'];
  if (code === '25006') return ['store_read_only', 'it takes no writes: a standby? Use the address of the primary'];
  if (code === '40P01' || code === '40001') return ['store_conflict', 'two writers were in each other’s way. Repeat'];
  if (isConnectionLoss(code, message))
    return ['store_unreachable', 'it cannot be reached, or the connection was lost. Check that it runs, then repeat'];
  return ['store_failed', 'it failed'];
}

const LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ENOENT',
]);

/** 08: connection exceptions, 57P: shut down or starting up, 53300: too many connections. */
function isConnectionLoss(code: string, message: string): boolean {
  if (LOST.has(code) || /^(08|57P|53300)/.test(code)) return true;
  return /connection (terminated|timeout)|timeout exceeded when trying to connect|not queryable/i.test(message);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '…')), text);
}
