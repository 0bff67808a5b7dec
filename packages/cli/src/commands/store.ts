import { stat } from 'node:fs/promises';
import {
  type CompactionCount,
  forgetMonths,
  forgetOld,
  type ImportResult,
  importFile,
  importFormats,
  isOlderLayout,
  mergeResults,
  olderSettings,
  verifyOlder,
} from '@skein/forest';
import { withForest } from '../context/command-context.ts';
import {
  CommandError,
  counted,
  note,
  progressLine,
  say,
  sayJson,
  toPrintable,
  UsageError,
  warn,
  withProgress,
} from '../output/output.ts';
import type { ForestFlags } from './forest-command.ts';
import { countsOf, importAgents, tellProblems } from './sessions.ts';

interface ImportOptions extends ForestFlags {
  readonly format?: string;
  readonly dialect?: string;
  /** `true`, or names with commas between them. */
  readonly agents?: string | true;
  readonly redact?: boolean;
}

export async function importInto(files: readonly string[], options: ImportOptions): Promise<void> {
  const { json, format, dialect, agents, redact, ...flags } = options;
  if (agents !== undefined) {
    if (files.length > 0) throw new UsageError('--agents finds the logs by itself: leave the file out.');
    const wanted = agents === true ? undefined : agents.split(',');
    return importAgents(wanted, { ...flags, ...(redact && { redact }), ...(json && { json }) });
  }
  if (files.length === 0) throw new UsageError('Name a file or a folder, "-" for standard input, or use --agents.');
  await withForest(flags, async ({ forest }) => {
    requireFormat(format);
    const results: ImportResult[] = [];
    for (const file of files) {
      const progress = progressLine();
      const { size, isFile } = file === '-' ? { size: 0, isFile: false } : await sizeOf(file);
      const done = await importFile(forest, file === '-' ? process.stdin : file, {
        ...(format && { format }),
        ...(dialect !== undefined && { dialect }),
        onProgress: ({ read, elements, messages }) =>
          progress.tell(countsOf(elements, messages), isFile ? Math.min(1, read / size) : undefined),
      }).finally(progress.end);
      results.push(done);
      tellProblems(done.problems);
      for (const line of done.notes) note(line);
      if (done.format === 'older') await tellSettings(file);
      if (json) continue;
      const name = files.length > 1 ? `${file}: ` : '';
      say(
        `${name}${done.format}: ${countsOf(done.threads.length, done.messages)}, ${done.added} of them new` +
          `${done.problems.length > 0 ? `; ${done.problems.length} could not be read` : ''}.`,
      );
    }
    if (json) sayJson(results.length === 1 ? results[0] : mergeResults(results));
    if (results.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
  });
}

/** Checked here, because plug-ins add importers when the configuration is read. */
function requireFormat(format: string | undefined): void {
  if (format !== undefined && !formatNames().includes(format))
    throw new UsageError(`"${format}" is not a format. Allowed choices are ${formatNames().join(', ')}.`);
}

function formatNames(): string[] {
  return importFormats().map(({ id }) => id);
}

/** Settings of the older layout are not imported, because their file also contains keys. */
async function tellSettings(folder: string): Promise<void> {
  for (const { file, names } of await olderSettings(folder))
    warn(`${file}: ${names.join(', ')} do not carry over; write them into skein.config.toml.`);
}

/** The size is known only for a file, not for a folder. */
async function sizeOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const found = await stat(path);
  return { size: found.size, isFile: found.isFile() && found.size > 0 };
}

export async function verify(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  if (!(await isOlderLayout(folder)))
    throw new CommandError(
      'wrong_shape',
      `${folder} is not a folder of the older layout. For a forest, use: skein fsck --store ${folder}`,
    );
  const progress = progressLine();
  const { problems, ...counts } = await verifyOlder(folder, {
    onProgress: (read) => progress.tell(`${read} files`),
  }).finally(progress.end);
  const summary = `${counted(counts.read, 'message')} read, ${counts.converted} would be converted, ${counts.unreadable} cannot be read.`;
  sayProblems(problems, counts, summary, json === true);
}

export async function fsck({ json, ...flags }: ForestFlags): Promise<void> {
  await withForest(flags, async ({ forest }) => {
    const problems = await withProgress('Checking', () => forest.fsck());
    const summary = problems.length === 0 ? 'All is well.' : `${counted(problems.length, 'problem')}.`;
    sayProblems(problems, {}, summary, json === true);
  });
}

export async function compact(how: 'gc' | 'pack', { json, ...flags }: ForestFlags): Promise<void> {
  await withForest(flags, async ({ forest, config }) => {
    const counts: CompactionCount = await withProgress('Rewriting', () =>
      how === 'gc' ? forgetOld(forest, config.retention) : forest.pack(),
    );
    if (json) sayJson(counts);
    else say(`${counted(counts.kept, 'record')} kept, ${counts.removed} removed.`);
    for (const path of counts.setAside ?? []) warn(`A file with damage was set aside: ${path}`);
  });
}

export async function dropMonths({ json, ...flags }: ForestFlags): Promise<void> {
  await withForest(flags, async ({ forest, config }) => {
    if (!forest.store.months)
      throw new CommandError('bad_option', '--months needs a forest in PostgreSQL, which keeps recordings by month.');
    const dropped = await forgetMonths(forest, config.retention);
    if (json) sayJson({ dropped });
    else say(dropped.length === 0 ? 'No month is older than the retention.' : `Dropped ${dropped.join(', ')}.`);
  });
}

interface Finding {
  readonly code: string;
  readonly where: string;
  readonly message: string;
}

/** Prints the problems that a check found. If there are any, the command fails, so that scripts notice. */
function sayProblems(problems: readonly Finding[], facts: object, summary: string, json: boolean): void {
  if (json) sayJson({ ok: problems.length === 0, ...facts, problems });
  else {
    for (const { code, where, message } of problems) say(toPrintable(`${where}: ${message} (${code})`));
    say(summary);
  }
  if (problems.length > 0) process.exitCode = 1;
}
