import { isObject, parseJson } from '../../json/index.ts';
import type { CacheDiagnosis } from '../dialect.ts';

/** There is nothing to ask before the first response. */
export const cacheDiagnosis: CacheDiagnosis = {
  members: (previous) => (previous === undefined ? {} : { prompt_cache_options: { comparison_response_id: previous } }),
  readMiss(envelope) {
    const { prompt_cache_diagnostics: found } = parseJson(envelope) as { readonly prompt_cache_diagnostics?: unknown };
    if (!isObject(found) || found.type === 'cache_hit') return undefined;
    const { type, reason = type, cache_missed_tokens: tokens } = found;
    return tokens === undefined ? String(reason) : `${reason}, ${tokens} tokens`;
  },
};
