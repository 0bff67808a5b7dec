/** What every judge shares: the request it gets, what the provider remembers, the verdict, and rules that are applied in order. */

/** One request as it reached a provider. */
export interface JudgedRequest {
  /** The exact body text. */
  readonly body: string;
  /** Lower-case header names. Rules about headers are skipped when this is absent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For APIs that name the model in the path. */
  readonly model?: string;
  /** What the provider issued earlier; rules about signatures and stored items are skipped when this is absent. */
  readonly memory?: Memory;
  readonly settings?: JudgeSettings;
}

/** What a provider recognises as its own; one method per kind of value. */
export interface Memory {
  /** What a signature or ciphertext stands for; undefined when this provider did not issue it. */
  issued(value: string): IssuedValue | undefined;
  /** Whether an item or a response is stored under this id (`store: true`). */
  stored(id: string): boolean;
  /**
   * Whether this provider put the field into one of its replies: its closed schema then accepts it. A type of block, item
   * or part that it invented is looked up as `:type`.
   */
  ownField(path: string): boolean;
}

/** What a signature or ciphertext stands for. */
export interface IssuedValue {
  /** Absent: any model may have issued it. */
  readonly model?: string;
  /** The text that must be sent back unchanged beside the signature, where there is one. */
  readonly text?: string;
  /** `prefixDigest` of the request that led to it. */
  readonly prefix?: string;
}

/** How strict a judge is beyond the rules that always apply. */
export interface JudgeSettings {
  /** Bind thinking to the prefix before it, whatever the model. Default: as the model does. */
  readonly enforcePrefix?: boolean;
  /** Refuse unknown fields also where there is no evidence that the API does. Default: a warning. */
  readonly refuseUnknown?: boolean;
  /** Refuse unknown fields even when this provider issued them. */
  readonly refuseOwnFields?: boolean;
}

/** The error with which the API refuses a request. */
export interface Refusal {
  /** `<protocol>.<id>` as in docs/wire-rules.md. */
  readonly rule: string;
  readonly status: number;
  readonly message: string;
  /** The JSON error body in the provider's own shape. */
  readonly body: string;
}

/** The result of judging a request. */
export interface Verdict {
  readonly refusal: Refusal | undefined;
  /** Broken rules of which it is not certain that the real API refuses (docs/wire-rules.md, "Unsure"). */
  readonly warnings: readonly string[];
}

/**
 * Decides whether an API would refuse a request.
 *
 * @example
 * const { refusal, warnings } = judgeOpenAIChat({ body: JSON.stringify(request) });
 * if (refusal) console.log(refusal.rule, refusal.message);
 */
export type Judge = (request: JudgedRequest) => Verdict;

/** One line of docs/wire-rules.md. */
export interface Rule<Context, Violation = string> {
  readonly id: string;
  /** Default 400. */
  readonly status?: number;
  /** A violation is a warning, not a refusal (docs/wire-rules.md, "Unsure"). */
  readonly unsure?: boolean;
  /** What is wrong, in the words of the real API. */
  readonly check: (context: Context) => Violation | undefined;
}

/** Applies the rules in order: the first certain violation refuses the request; unsure ones before it are warnings. */
export function applyRules<Context, Violation>(
  protocol: string,
  rules: readonly Rule<Context, Violation>[],
  context: Context,
  refuse: (id: string, violation: Violation, status: number | undefined) => Refusal,
): Verdict {
  const warnings: string[] = [];
  for (const { id, status, unsure, check } of rules) {
    const violation = check(context);
    if (violation === undefined) continue;
    if (!unsure) return { refusal: refuse(id, violation, status), warnings };
    warnings.push(`${protocol}.${id}`);
  }
  return { refusal: undefined, warnings };
}

/** The first defined value that `answer` gives for an item. */
export function first<T, R>(items: Iterable<T>, answer: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = answer(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value of a JSON body, or why it is not JSON. */
export function readJson(body: string): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: JSON.parse(body) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : 'syntax error' };
  }
}
