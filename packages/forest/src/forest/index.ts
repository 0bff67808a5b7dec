export { createForest } from './create-forest.ts';
export { ForestError, type ForestErrorCode } from './errors.ts';
export type * from './types.ts';
