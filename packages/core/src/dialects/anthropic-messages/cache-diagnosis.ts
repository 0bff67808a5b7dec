import { isObject, parseJson } from '../../json/index.ts';
import type { CacheDiagnosis } from '../dialect.ts';

/** `diagnostics`: null where there was no miss, without a reason while it is not known yet. */
export const cacheDiagnosis: CacheDiagnosis = {
  members: (previous) => ({ diagnostics: { previous_message_id: previous ?? null } }),
  readMiss(envelope) {
    const { diagnostics } = parseJson(envelope) as { readonly diagnostics?: unknown };
    const reason = isObject(diagnostics) ? diagnostics.cache_miss_reason : undefined;
    if (!isObject(reason)) return undefined;
    const { type, cache_missed_input_tokens: tokens } = reason;
    return tokens === undefined ? String(type) : `${type}, ${tokens} tokens`;
  },
};
