/**
 * The kernel: the tree of messages on a store. This is the one file of the folder that other folders import. Its parts:
 *
 * - the forest: `createForest` and what its methods take and return;
 * - context: the store and the clock that every operation works on, and the refs written with them;
 * - reading: ids, messages, pages, walks, and what earlier requests were sent with;
 * - writing: an append point, the records of a message below it, and appending them;
 * - threads: their titles, groups and lineage.
 */

export { createContext, type ForestContext, makeRef, readRefs } from './context.ts';
export { ForestError } from './errors.ts';
export { createForest, type Forest, followChanges } from './forest.ts';
export { allItems, allPages } from './pages.ts';
export type { Difference, TopologyNode } from './read/queries.ts';
export type { ForestNode, Marks } from './read/read-nodes.ts';
export { isDamage, MOST_RATING, readableNodes, readMessage, readTakes } from './read/read-nodes.ts';
export { followRedirects, resolveId } from './read/resolve.ts';
export type { SearchFilters, SearchResult } from './read/search.ts';
export type { ContextChange } from './read/sent-context.ts';
export { readCheckpoints, readTools, withConversationSystem, writeCheckpoint } from './read/sent-context.ts';
export type { SentRequest } from './read/sent-request.ts';
export { diffFromLastRequest, readManifest } from './read/sent-request.ts';
export type { SessionLane, SessionStep, SessionView, ToolAct } from './read/session.ts';
export { readSession } from './read/session.ts';
export { preferLineage } from './read/stateless-request.ts';
export type { ToolEffect, TouchedFile } from './read/tool-effects.ts';
export type { UsageOptions, UsageScope, UsageTotal } from './read/usage.ts';
export { resolveWalkStart, walkAll } from './read/walk.ts';
export type { ThreadGroup } from './threads/groups.ts';
export { makeGroupRefs, memberName, openingGroupId, SIDE_GROUP, sessionGroupId } from './threads/groups.ts';
export type { Thread } from './threads/thread.ts';
export { readLineage, readThreads, selectTakes } from './threads/thread.ts';
export type { Threads } from './threads/threads.ts';
export { createThreads } from './threads/threads.ts';
export { findOpening, makeTitle, readOpening, readPrompt, shortenTitle } from './threads/title.ts';
export { addEntryTexts, addTakeTexts, findNeededBodies } from './upkeep.ts';
export type { TakeFacts } from './write/append.ts';
export { appendMessages, appendOnce, appendSiblings, createMessageTake } from './write/append.ts';
export { type AppendPoint, makeNodeRecords, ROOT_POINT, readAppendPoint } from './write/append-point.ts';
export type { Bookmark, Bookmarks } from './write/bookmarks.ts';
export type { SplitResult } from './write/edit.ts';
export type { Library, Prompt } from './write/library.ts';
export type { Match, ObserveResult } from './write/match.ts';
export { endsWithOwnEcho, makeIdChain } from './write/match.ts';
export { joinTexts } from './write/plain-text.ts';
export type { MoveResult } from './write/reparent.ts';
