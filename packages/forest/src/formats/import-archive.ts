import { basename } from 'node:path';
import { isSkeinError } from '@skein/core';
import { FormatError } from './format-error.ts';
import type { ImportResult } from './import-file.ts';
import type { Archive, ArchiveFile } from './source/archive.ts';

/** Files with conversations, as programs name them in their exports. */
const KNOWN = [/^conversations(-\d+)?\.json$/i, /^my ?activity\.json$/i, /\.conversation\.json$/i];

/** Larger than any export; a zip that claims more is refused before it fills the memory. */
const MAX_BYTES = 8 * 1024 ** 3;

/**
 * Imports the files of an export that contain conversations. Files that are known by their names are enough; otherwise
 * every JSON file is looked at, and those in no known format are left out.
 */
export async function importArchive(
  archive: Archive,
  importOne: (file: ArchiveFile) => Promise<ImportResult>,
  name: string,
): Promise<ImportResult> {
  const json = archive.files.filter((file) => /\.jsonl?$/i.test(file.name) && !/(^|\/)(\.|__MACOSX\/)/.test(file.name));
  const known = json.filter((file) => KNOWN.some((pattern) => pattern.test(basename(file.name))));
  const results: ImportResult[] = [];
  const foreign: string[] = [];
  for (const file of known.length > 0 ? known : json) {
    if (file.size > MAX_BYTES)
      throw new FormatError('wrong_shape', `${file.name} in ${name} is too large to be an export.`);
    try {
      results.push(inFile(await importOne(file), file.name));
    } catch (error) {
      if (!isSkeinError(error, 'unknown_format', 'not_json')) throw error;
      foreign.push(file.name);
    }
  }
  if (results.length === 0) throw nothingFound(archive, foreign, name);
  return mergeResults(results);
}

function nothingFound({ files }: Archive, foreign: readonly string[], name: string): FormatError {
  const html = files.find((file) => /(^|\/)(my ?activity|chat)\.html$/i.test(file.name));
  const seen = foreign.length > 0 ? foreign : files.map((file) => file.name);
  const listed = seen.slice(0, 5).join(', ') || 'nothing';
  const hint = html
    ? ` It has ${html.name}: ask for the export in JSON, not in HTML.`
    : ' Exports of ChatGPT and Claude have "conversations.json".';
  return new FormatError('unknown_format', `${name} has no conversations in a known format. It has: ${listed}.${hint}`);
}

function inFile(result: ImportResult, name: string): ImportResult {
  return {
    ...result,
    problems: result.problems.map((problem) => ({ ...problem, where: `${name}, ${problem.where}` })),
  };
}

/**
 * The results of several imports as one.
 *
 * @example
 * const done = mergeResults([await importFile(forest, 'a.zip'), await importFile(forest, 'b.zip')]);
 */
export function mergeResults(results: readonly ImportResult[]): ImportResult {
  const sum = (count: (result: ImportResult) => number) => results.reduce((total, result) => total + count(result), 0);
  return {
    format: [...new Set(results.map(({ format }) => format))].join(', '),
    threads: [...new Set(results.flatMap(({ threads }) => threads))],
    elements: sum(({ elements }) => elements),
    messages: sum(({ messages }) => messages),
    added: sum(({ added }) => added),
    problems: results.flatMap(({ problems }) => problems),
    notes: results.flatMap(({ notes }) => notes),
  };
}
