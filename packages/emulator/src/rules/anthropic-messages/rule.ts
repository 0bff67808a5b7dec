import { createHash } from 'node:crypto';
import type { Refusal } from '../verdict.ts';
import type { Context } from './context.ts';

export const PROTOCOL = 'anthropic-messages';

/** One line of docs/wire-rules.md. */
export interface Rule {
  readonly id: string;
  /** Default 400. */
  readonly status?: number;
  /** Broken but not refused (wire-rules, "Unsure"). */
  readonly unsure?: boolean;
  /** The real message when the rule is broken. */
  readonly check: (context: Context) => string | undefined;
}

const ERROR_TYPES: Readonly<Record<number, string>> = { 401: 'authentication_error', 404: 'not_found_error' };

export function refusal(id: string, message: string, status = 400, seed = ''): Refusal {
  const type = ERROR_TYPES[status] ?? 'invalid_request_error';
  // Derived from the request so that the judge stays pure.
  const request_id = `req_011C${createHash('sha256').update(seed).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, 20)}`;
  const body = JSON.stringify({ type: 'error', error: { type, message }, request_id });
  return { rule: `${PROTOCOL}.${id}`, status, message, body };
}

/** The first message that any element gives. */
export function first<T>(items: Iterable<T>, message: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = message(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
