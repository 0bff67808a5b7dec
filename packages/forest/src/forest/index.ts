export { createForest } from './create-forest.ts';
export { ForestError, type ForestErrorCode } from './errors.ts';
export { followChanges } from './follow-changes.ts';
export { isDamage, readableNodes } from './read-nodes.ts';
export { wordsAt } from './thread-title.ts';
export type * from './types.ts';
