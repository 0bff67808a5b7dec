/**
 * Why prompt caches hit or miss. `recorded-traffic` reads the recorded requests of an open forest in order, `streamed-traffic` those of
 * a folder without its index. `diagnose-recordings` finds for each the one that could have served its beginning, `compare-requests` finds where the two part, and `diagnosis` explains the difference by the
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
export { type RecordedTraffic, readForest, type TrafficPeriod, type TrafficSource } from './recorded-traffic.ts';
export {
  CACHE_SCENARIOS,
  type CacheScenario,
  cacheScenario,
  type SimulationResult,
  simulateCaching,
} from './simulate.ts';
export type { StreamedTraffic } from './streamed-traffic.ts';
export { type VolatileKind, volatileKind } from './volatile.ts';
