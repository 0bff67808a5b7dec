/**
 * Git for conversations: a forest of branching histories whose every message is kept as its exact text, in memory,
 * in files or in PostgreSQL.
 */
export * from './engine/index.ts';
export {
  type Bookmark,
  type Bookmarks,
  type ContextChange,
  createForest,
  type Difference,
  type Forest,
  ForestError,
  type ForestErrorCode,
  type ForestNode,
  followChanges,
  isDamage,
  type Marks,
  type Match,
  type MoveResult,
  type ObserveResult,
  readableNodes,
  readOpening,
  type SearchFilters,
  type SearchResult,
  type SentRequest,
  type SplitResult,
  type TakeFacts,
  type Thread,
  type ThreadGroup,
  type Threads,
  type TopologyNode,
  type UsageScope,
  type UsageTotal,
} from './forest/index.ts';
export * from './formats/index.ts';
export * from './model/index.ts';
export { type OpenOptions, openForest } from './open-forest.ts';
export * from './record/index.ts';
export * from './store/index.ts';
