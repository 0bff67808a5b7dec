export { createForest } from './create-forest.ts';
export { ForestError, type ForestErrorCode } from './errors.ts';
export { type OpenOptions, openForest } from './open-forest.ts';
export type * from './types.ts';
