/** Conformance suites: what every implementation of a kind must show, ours and others'. They need no test runner. */
export { type ConformanceCase, type DialectSamples, dialectConformance } from './testing/dialect-conformance.ts';
