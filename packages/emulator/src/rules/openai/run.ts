import { holdsHalfCharacter } from '../../json.ts';
import type { Refusal, Verdict } from '../verdict.ts';
import type { Finding } from './finding.ts';
import { type Fields, isFields } from './values.ts';

export interface Rule<Context> {
  /** As in wire-rules.md, without the protocol. */
  readonly id: string;
  readonly check: (context: Context) => Iterable<Finding>;
}

/** The error shape of both OpenAI APIs. */
function refuse(rule: string, { message, param, code, status = 400 }: Finding): Refusal {
  const error = { message, type: 'invalid_request_error', param, code };
  return { rule, status, message, body: JSON.stringify({ error }, null, 2) };
}

/** Runs the rules in order: the first certain finding refuses, unsure ones are collected on the way. */
export function runRules<Context>(protocol: string, rules: readonly Rule<Context>[], context: Context): Verdict {
  const warnings = new Set<string>();
  for (const { id, check } of rules) {
    const rule = `${protocol}.${id}`;
    for (const found of check(context)) {
      if (!found.unsure) return { refusal: refuse(rule, found), warnings: [...warnings] };
      warnings.add(rule);
    }
  }
  return { refusal: undefined, warnings: [...warnings] };
}

const notJson =
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)";

/** The body as an object, or the refusal of a body that is none, or that holds half a character (`<protocol>.json`). */
export function parseBody(protocol: string, body: string): { fields: Fields } | { verdict: Verdict } {
  try {
    const parsed: unknown = JSON.parse(body);
    if (isFields(parsed) && !holdsHalfCharacter(parsed)) return { fields: parsed };
  } catch {
    // Refused below, in the words of the API.
  }
  const refusal = refuse(`${protocol}.json`, { message: notJson, param: null, code: null });
  return { verdict: { refusal, warnings: [] } };
}
