/** Conformance suites: what every implementation of a kind must show, ours and others'. They need no test runner. */
export type { ConformanceCase } from './testing/check.ts';
export { dialectConformance } from './testing/dialect-conformance.ts';
export type { DialectSamples } from './testing/dialect-samples.ts';
