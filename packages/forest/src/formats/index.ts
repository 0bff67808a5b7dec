/**
 * Formats: importers (one file each in `importers/`), exports (`export/`), segments, the
 * older layout (`older/`), and the sessions of coding agents: their logs (`session-logs/`) and how to write them
 * (`session-writers/`).
 */
export type { ConversationFilters, DatasetSplit, ExportDamage } from './export/conversations.ts';
export { exportDialects } from './export/dialect-messages.ts';
export { EXPORT_FORMATS, type ExportFormat } from './export/export-formats.ts';
export type { ExportLosses, ExportOptions } from './export/export-text.ts';
export type { ExportSelection } from './export/selection.ts';
export { FormatError, type FormatErrorCode } from './format-error.ts';
export { mergeResults } from './import-archive.ts';
export type { ImportOptions, ImportProgress, ImportResult } from './import-file.ts';
export type { ImportProblem } from './import-tracker.ts';
export {
  defineImporter,
  type ImportedConversation,
  type ImportedMessage,
  type ImportedSession,
  type Importer,
  importFormats,
} from './importer.ts';
export { chainMessages, type MessageWithFacts } from './importers/source-conversation.ts';
export { exportOlder, isOlderLayout, olderSettings, openOlder, verifyOlder } from './older/index.ts';
export { exportText, importFile, importSessions } from './on-first-use.ts';
export { type AgentEnvironment, CODING_AGENTS, type CodingAgent } from './session-logs/coding-agents.ts';
export type { ImportSessionsOptions, ImportSessionsResult, SessionsProgress } from './session-logs/import-sessions.ts';
export {
  WRITABLE_AGENTS,
  type WriteSessionOptions,
  type WrittenSession,
  writeSession,
} from './session-writers/index.ts';
export type { ImportSource } from './source/text-source.ts';
