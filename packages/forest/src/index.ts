/**
 * Git for conversations: a forest of branching histories whose every message is kept as its exact text, in memory,
 * in files or in PostgreSQL.
 */
export * from './engine/index.ts';
export * from './forest/index.ts';
export * from './formats/index.ts';
export * from './model/index.ts';
export { type OpenOptions, openForest } from './open-forest.ts';
export * from './record/index.ts';
export * from './store/index.ts';
