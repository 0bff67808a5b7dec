import type { Judge, Memory } from '../verdict.ts';

/** One rule: a request it lets pass, and one it refuses (or, where it is unsure, warns of). */
export interface RuleCase {
  readonly id: string;
  readonly good: unknown;
  readonly bad: unknown;
  /** The whole message of the refusal; a warning has none. */
  readonly message?: string;
  readonly param?: string | null;
  readonly code?: string | null;
  /** Default 400. */
  readonly status?: number;
  readonly memory?: Memory;
}

/** A string is sent as it is, so that bodies can be broken. */
const bodyOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function judgeCase(judge: Judge, body: unknown, memory?: Memory) {
  return judge({ body: bodyOf(body), ...(memory && { memory }) });
}

/** The verdict on the bad request in the form of the case, with the error body taken apart. */
export function outcome(judge: Judge, { bad, memory }: RuleCase) {
  const { refusal, warnings } = judgeCase(judge, bad, memory);
  if (refusal === undefined) return { warnings };
  const { error } = JSON.parse(refusal.body) as { error: Record<string, unknown> };
  return { rule: refusal.rule, status: refusal.status, message: refusal.message, error };
}

export function expected(protocol: string, { id, message, param = null, code = null, status = 400 }: RuleCase) {
  const rule = `${protocol}.${id}`;
  if (message === undefined) return { warnings: [rule] };
  return { rule, status, message, error: { message, type: 'invalid_request_error', param, code } };
}
