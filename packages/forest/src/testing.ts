/** What every store must show, ours and others'. It needs no test runner. */

export { type StoreUnderTest, storeConformance } from './testing/store-conformance.ts';
export type { StoreCase } from './testing/store-samples.ts';
