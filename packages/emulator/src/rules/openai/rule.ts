import { hasLoneSurrogate, isObject, type Json } from '../../json.ts';
import type { Refusal, Verdict } from '../verdict.ts';
import type { Finding } from './finding.ts';

/** A rule of docs/wire-rules.md for one of OpenAI's APIs; it may report several findings. */
export interface OpenAIRule<Context> {
  /** As in wire-rules.md, without the protocol. */
  readonly id: string;
  readonly check: (context: Context) => Iterable<Finding>;
}

/** A refusal in the error format of both OpenAI APIs. */
function refuse(rule: string, { message, param, code, status = 400 }: Finding): Refusal {
  const error = { message, type: 'invalid_request_error', param, code };
  return { rule, status, message, body: JSON.stringify({ error }, null, 2) };
}

/** Applies the rules in order: the first certain finding refuses the request; unsure ones before it are warnings. */
export function runRules<Context>(protocol: string, rules: readonly OpenAIRule<Context>[], context: Context): Verdict {
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

/** The body as an object, or its refusal by `<protocol>.json`: not JSON, not an object, or with a lone surrogate. */
export function parseBody(protocol: string, body: string): { fields: Json } | { verdict: Verdict } {
  try {
    const parsed: unknown = JSON.parse(body);
    if (isObject(parsed) && !hasLoneSurrogate(parsed)) return { fields: parsed };
  } catch {
    // Refused below, in the words of the API.
  }
  const refusal = refuse(`${protocol}.json`, { message: notJson, param: null, code: null });
  return { verdict: { refusal, warnings: [] } };
}

/** How the API of a compatible provider differs from OpenAI's. */
export interface ApiDifferences {
  /**
   * Further fields, as paths without indices: `reasoning`, `messages.reasoning_content`, `tools.cache_control`.
   * Further types are written after a colon: `tools:openrouter:advisor`, `messages.content:document_url`.
   */
  readonly extra?: readonly string[];
  /** Ids of rules that this provider does not have. */
  readonly without?: readonly string[];
}

/** Whether a field, or an object around it, is one of the further fields. */
export const isExtraField = (differences: ApiDifferences, plain: string): boolean =>
  differences.extra?.some((name) => plain === name || plain.startsWith(`${name}.`)) ?? false;

export const applicableRules = <R extends { readonly id: string }>(
  rules: readonly R[],
  differences: ApiDifferences,
): readonly R[] => rules.filter(({ id }) => !differences.without?.includes(id));
