export { createForest, followChanges } from './forest.ts';
export { isDamage, readableNodes } from './read/read-nodes.ts';
export { wordsAt } from './threads/title.ts';
export * from './types.ts';
export { ForestError, type ForestErrorCode } from './types.ts';
