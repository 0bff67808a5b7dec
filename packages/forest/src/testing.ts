/** What every store must show, ours and others'. It needs no test runner. */
export type { StoreCase } from './testing/check.ts';
export { type StoreUnderTest, storeConformance } from './testing/store-conformance.ts';
