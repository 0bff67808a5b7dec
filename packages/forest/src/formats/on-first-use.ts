// Importing and exporting. Few programs do either, so the code of the formats, with a parser of Markdown, is loaded when it is needed.
import type { Forest } from '../forest/index.ts';
import type { ExportOptions } from './export/export-text.ts';
import type { ImportOptions, ImportResult } from './import-file.ts';
import type { ImportSessionsOptions, ImportSessionsResult } from './session-logs/import-sessions.ts';
import type { ImportSource } from './source/text-source.ts';

/**
 * Imports conversations into a forest. Importing the same source again changes nothing. An element that cannot be read
 * is reported and left out; a source in an unknown format is an error.
 *
 * @example
 * const { threads, problems } = await importFile(forest, 'conversations.json');
 */
export async function importFile(forest: Forest, source: ImportSource, options?: ImportOptions): Promise<ImportResult> {
  return (await import('./import-file.ts')).importFile(forest, source, options);
}

/**
 * Imports the sessions that coding agents have logged. Logs that did not change since they were read are left alone, so it
 * can run again and again. The agents' files are only read.
 *
 * @example
 * const { threads } = await importSessions(forest, { agents: ['codex'] });
 */
export async function importSessions(forest: Forest, options?: ImportSessionsOptions): Promise<ImportSessionsResult> {
  return (await import('./session-logs/import-sessions.ts')).importSessions(forest, options);
}

/**
 * Exports a part of a forest as text, piece by piece. `segments` loses nothing and imports again with the same ids;
 * `markdown` and `html`, a page that loads and runs nothing, are for readers; `messages` has one list in a dialect per line and conversation. The others are
 * datasets with one conversation per line: for training (`fine-tuning`, `anthropic`, `sharegpt`), for evaluations (`promptfoo`, `inspect`), and for programs of
 * one's own (`jsonl`, `csv`).
 *
 * @example
 * for await (const piece of exportText(forest, { format: 'markdown', of: { thread } })) process.stdout.write(piece);
 */
export async function* exportText(forest: Forest, options: ExportOptions): AsyncGenerator<string> {
  yield* (await import('./export/export-text.ts')).exportText(forest, options);
}
