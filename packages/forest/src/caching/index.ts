/**
 * Why prompt caches hit or miss. `diagnose-recordings` reads the recorded requests in order and finds for each the one that could
 * have served its beginning, `compare-requests` finds where the two part, and `diagnosis` explains the difference by the
 * `cache-rules` of the provider. `simulate` sends the same requests to simulated caches.
 */
export { type CacheRules, cacheRules } from './cache-rules.ts';
export {
  type CacheTotal,
  type CacheTotals,
  type CacheTotalsBuilder,
  type CauseTotal,
  causePlace,
  createCacheTotals,
} from './cache-totals.ts';
export type { DifferenceKind, RequestDifference } from './compare-requests.ts';
export { describeDiagnosis } from './describe-diagnosis.ts';
export { type CacheScope, diagnoseCaching } from './diagnose-recordings.ts';
export type { CacheCause, CacheCost, CacheDiagnosis, CacheTokens } from './diagnosis.ts';
export { type CacheScenario, type SimulationResult, simulateCaching } from './simulate.ts';
export type { VolatileKind } from './volatile.ts';
