import { StoreError, type StoreErrorCode } from '../store-error.ts';

/** Where a database is, for messages, and what must not be in them. */
export interface Target {
  readonly name: string;
  readonly secrets: readonly string[];
}

/** What went wrong, in our words, with what to do about it, and never with the password. */
export function toStoreError(error: unknown, target: Target): StoreError {
  if (error instanceof StoreError) return error;
  const { code: given, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const state = typeof given === 'string' ? given : '';
  const said = String(message ?? error);
  const [code, advice] = meaningOf(state, said);
  // An error about the address has the address in it.
  const words = state === INVALID_URL ? '' : ` (${[state, withoutSecrets(said, target.secrets)].join(' ').trim()})`;
  return new StoreError(code, `PostgreSQL at ${target.name}: ${advice}${words}`);
}

const INVALID_URL = 'ERR_INVALID_URL';

function meaningOf(code: string, message: string): [StoreErrorCode, string] {
  if (code === INVALID_URL)
    return ['store_name', 'the address cannot be read. It looks like postgres://user:password@host:5432/database'];
  if (code === '28P01' || code === '28000')
    return ['store_refused', 'the user or the password was refused. Check the address and pg_hba.conf'];
  if (code === '3D000') return ['store_refused', 'there is no such database. Create it with CREATE DATABASE'];
  if (code === '42501')
    return ['store_refused', 'the user lacks a right. Let it create tables, or own those there are'];
  if (code === '53100') return ['store_full', 'the disk is full. Make room, then repeat'];
  if (code === '25006') return ['store_read_only', 'it takes no writes: a standby? Use the address of the primary'];
  if (code === '40P01' || code === '40001')
    return ['store_conflict', 'two writers were in each other’s way. Nothing was written: repeat'];
  if (isConnectionLoss(code, message))
    return ['store_unreachable', 'it cannot be reached, or the connection was lost. Check that it runs, then repeat'];
  return ['store_failed', 'it failed'];
}

const LOST = 'ECONNREFUSED ECONNRESET ENOTFOUND ETIMEDOUT EPIPE EHOSTUNREACH ENETUNREACH EAI_AGAIN ENOENT'.split(' ');

/** 08: connection exceptions, 57P: shut down or starting up, 53300: too many connections. */
function isConnectionLoss(code: string, message: string): boolean {
  if (LOST.includes(code) || /^(08|57P|53300)/.test(code)) return true;
  return /connection (terminated|timeout)|timeout exceeded when trying to connect|not queryable/i.test(message);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '…')), text);
}
