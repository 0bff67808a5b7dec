import { isJson } from '@skein/core';
import { mask } from '../caching/volatile.ts';
import { canonicalText } from '../model/ids.ts';

/** A part of a request body that a replay does not compare, because it differs from run to run. */
export interface IgnoreRule {
  /** The place in the body, such as `metadata.user_id`, `messages[0].content` or `messages[*].id`. */
  readonly path: string;
  /** A regular expression: only what it matches in the text there is ignored. Without it, the whole value is. */
  readonly match?: string;
}

const PLACEHOLDER = '<ignored>';

/** What is compared of a body after ignoring, and the rules that had something to ignore. */
export interface ComparableBody {
  readonly text: string;
  readonly applied: readonly IgnoreRule[];
}

/** Replaces what the rules ignore. Bodies that are not JSON are compared as they are. */
export function applyIgnoreRules(body: string, rules: readonly IgnoreRule[]): ComparableBody {
  if (rules.length === 0 || !isJson(body)) return { text: body, applied: [] };
  let value: unknown = JSON.parse(body);
  const applied: IgnoreRule[] = [];
  for (const rule of rules) {
    let isUsed = false;
    const pattern = rule.match === undefined ? undefined : new RegExp(rule.match, 'g');
    value = changeAt(value, readPath(rule.path), (found) => {
      // Without a pattern the member goes, because a run may have it and the next one not.
      const next = !pattern ? undefined : typeof found === 'string' ? found.replace(pattern, PLACEHOLDER) : found;
      isUsed ||= next !== found;
      return next;
    });
    if (isUsed) applied.push(rule);
  }
  return { text: canonicalText(value ?? null), applied };
}

type Step = string | number | '*';

/** Reads a path such as `messages[0].content`. Throws a `TypeError` for a malformed one. */
export function readPath(path: string): readonly Step[] {
  const steps = [...path.matchAll(/(?:^|\.)([^.[\]]+)|\[(\d+|\*)\]/g)];
  if (steps.length === 0 || steps.map(([text]) => text).join('') !== path)
    throw new TypeError(`"${path}" is no path; write one such as metadata.user_id or messages[0].content`);
  return steps.map(([, name, index]) => name ?? (index === '*' ? '*' : Number(index)));
}

/** A value in which what the steps lead to is changed; a member that becomes undefined is removed, an element becomes null. */
function changeAt(value: unknown, [step, ...rest]: readonly Step[], change: (found: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item, at) => (step === '*' || step === at ? (changeAt(item, rest, change) ?? null) : item));
  if (typeof value !== 'object' || value === null || typeof step === 'number' || !(step in value)) return value;
  return { ...value, [step]: changeAt((value as Record<string, unknown>)[step], rest, change) };
}

/**
 * Proposes rules for what differs between two recordings of the same requests, pair by pair: times, ids, addresses, paths and
 * numbers by a pattern, where only those differ, and other values as a whole. Whether a rule is right is for a person to decide.
 *
 * @example
 * learnIgnoreRules([[firstBody, secondBody]]); // [{ path: 'metadata.user_id' }]
 */
export function learnIgnoreRules(pairs: readonly (readonly [first: string, second: string])[]): readonly IgnoreRule[] {
  const found = new Map<string, IgnoreRule>();
  for (const [first, second] of pairs)
    if (isJson(first) && isJson(second))
      for (const rule of compareValues(JSON.parse(first), JSON.parse(second), ''))
        found.set(JSON.stringify([rule.path, rule.match]), rule);
  return [...found.values()];
}

function compareValues(a: unknown, b: unknown, path: string): IgnoreRule[] {
  if (typeof a === 'string' && typeof b === 'string') return a === b ? [] : compareTexts(a, b, path);
  const bothLists = Array.isArray(a) && Array.isArray(b);
  if (bothLists && a.length === b.length) return a.flatMap((item, at) => compareValues(item, b[at], `${path}[${at}]`));
  if (a === undefined || b === undefined) return [{ path }];
  if (bothLists || !isRecord(a) || !isRecord(b)) return canonicalText(a) === canonicalText(b) ? [] : [{ path }];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.flatMap((name) => compareValues(a[name], b[name], path === '' ? name : `${path}.${name}`));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the same text differs only in volatile words, a pattern for them; otherwise the whole text. */
function compareTexts(a: string, b: string, path: string): IgnoreRule[] {
  const masked = mask(a);
  if (masked.text !== mask(b).text) return [{ path }];
  const patterns = new Set(masked.kinds.map(({ pattern }) => pattern.source));
  return [...patterns].map((match) => ({ path, match }));
}
