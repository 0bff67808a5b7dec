import type { Refusal } from '../verdict.ts';
import type { Context } from './context.ts';

export const PROTOCOL = 'google-generatecontent';

/** What is wrong: the message, and the fields it is about where Google lists them in `details`. */
export interface Broken {
  readonly message: string;
  readonly violations?: readonly { readonly field?: string; readonly description: string }[];
}

/** One line of docs/wire-rules.md. */
export interface Rule {
  readonly id: string;
  /** Default 400. */
  readonly status?: number;
  /** Broken but not refused (wire-rules, "Unsure"). */
  readonly unsure?: boolean;
  readonly check: (context: Context) => string | Broken | undefined;
}

const STATUS: Readonly<Record<number, string>> = { 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' };

export function refusal(id: string, broken: string | Broken, code = 400): Refusal {
  const { message, violations } = typeof broken === 'string' ? { message: broken } : broken;
  const details = violations && [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }];
  const error = { code, message, status: STATUS[code] ?? 'INVALID_ARGUMENT', ...(details && { details }) };
  return { rule: `${PROTOCOL}.${id}`, status: code, message, body: JSON.stringify({ error }, undefined, 2) };
}

/** The first answer that any element gives. */
export function first<T, R>(items: Iterable<T>, answer: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = answer(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
