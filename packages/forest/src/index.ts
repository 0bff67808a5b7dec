import { createForest, type Forest, ForestError } from './forest/index.ts';
import { isOlderLayout, openOlder } from './formats/index.ts';
import { throwReadable } from './store/file/disk.ts';
import { fileStore, memoryStore, postgresStore, type Store } from './store/index.ts';

/**
 * Git for LLM conversations: a forest of branching histories that keeps every message as its exact text, in memory, in
 * files or in PostgreSQL. Parts for authors of stores are in `@skein/forest/store`.
 */

// Growing a forest with models
export {
  type BranchState,
  continueTools,
  createEngine,
  type Engine,
  EngineError,
  type GenerateOptions,
  type Generation,
  type GenerationEvent,
  type GenerationState,
  type RequestPreview,
  type RerunResult,
  type ResumeOptions,
  type StoredEvent,
  titleByModel,
  toolName,
} from './engine/index.ts';
// What a forest holds and returns
export {
  type Bookmark,
  type Bookmarks,
  type ContextChange,
  createForest,
  type Difference,
  type Forest,
  ForestError,
  type ForestNode,
  followChanges,
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
// Importing and exporting
export {
  chainMessages,
  defineImporter,
  type ExportDamage,
  type ExportFormat,
  type ExportLosses,
  type ExportOptions,
  type ExportSelection,
  exportDialects,
  exportOlder,
  exportText,
  FormatError,
  type FormatErrorCode,
  type ImportedConversation,
  type ImportedMessage,
  type Importer,
  type ImportOptions,
  type ImportProgress,
  type ImportResult,
  type ImportSource,
  importFile,
  importFormats,
  isOlderLayout,
  type MessageWithFacts,
  olderSettings,
  openOlder,
  verifyOlder,
} from './formats/index.ts';
export { ROOT } from './model/ids.ts';
export { DEMO_ISSUER, type TakeRecord } from './model/records.ts';

// Recording what other programs send
export {
  createRecorder,
  createReplayer,
  type ExchangeFilters,
  forgetOld,
  type ListedExchange,
  listExchanges,
  oldestShown,
  type Placement,
  type RecordedExchange,
  type Recorder,
  type RecorderOptions,
  type RecordFetch,
  type RecordFetchOptions,
  type Recording,
  type Replayer,
  type RequestToRecord,
  type Retention,
  readAddress,
  readRecorded,
  recordFetch,
  reproject,
  type StatusClass,
} from './record/index.ts';
export type { Changes, CompactionCount, Page, PageRequest, StoreProblem } from './store/index.ts';
export {
  type FileStoreOptions,
  fileStore,
  memoryStore,
  type PostgresOptions,
  postgresStore,
  type Store,
  StoreError,
  type StoreErrorCode,
} from './store/index.ts';

/** How to open a forest. */
export interface OpenOptions {
  /** Separates one forest from another in the same store. Default: `default`. */
  readonly project?: string;
}

/**
 * Opens the forest in a folder (also of the older layout), in PostgreSQL (`postgres://…`) or in memory (`:memory:`).
 *
 * @example
 * const forest = await openForest('./forest');
 * const shared = await openForest('postgres://localhost/skein', { project: 'support' });
 */
export async function openForest(where: string, { project = 'default' }: OpenOptions = {}): Promise<Forest> {
  if (!/^[\w.-]{1,100}$/.test(project) || /^\.+$/.test(project))
    throw new ForestError(
      'bad_name',
      project,
      `"${project.slice(0, 60)}" is not a project name: use letters, digits and . _ -`,
    );
  const store = await openStore(where, project);
  try {
    if (isFolder(where) && (await isOlderLayout(where))) return await openOlder(where, { store, project });
    return createForest(store, { project });
  } catch (error) {
    await store.close();
    throwReadable(error, where);
  }
}

async function openStore(where: string, project: string): Promise<Store> {
  if (where === ':memory:') return memoryStore();
  if (/^postgres(ql)?:\/\//.test(where)) return postgresStore(where, { project });
  // A mistyped address may contain a password.
  const shown = where.replace(/\/\/.*@/s, '//…@').slice(0, 60);
  if (where.trim() === '' || /^\w+:\/\//.test(where))
    throw new ForestError(
      'bad_name',
      shown,
      `"${shown}" is not the address of a forest: give a folder, \`postgres://…\` or \`:memory:\`.`,
    );
  return fileStore(where, { project });
}

function isFolder(where: string): boolean {
  return where !== ':memory:' && !/^postgres(ql)?:\/\//.test(where);
}
