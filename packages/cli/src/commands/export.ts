import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { dialect as findDialect, isSkeinError } from '@skein/core';
import {
  type ConversationFilters,
  type DatasetSplit,
  type ExportDamage,
  type ExportFormat,
  type ExportLosses,
  type ExportSelection,
  exportOlder,
  exportText,
  type Forest,
} from '@skein/forest';
import { hasRedaction, withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { CommandError, counted, note, progressLine, UsageError, warn, writeAll } from '../output/output.ts';
import type { ForestFlags } from './forest-command.ts';

interface ExportOptions extends ForestFlags {
  readonly format: ExportFormat | 'older';
  readonly dialect?: string;
  readonly out?: string;
  readonly below?: boolean;
  readonly only?: boolean;
  readonly tag?: string;
  readonly model?: string;
  readonly since?: number;
  readonly until?: number;
  readonly minRating?: number;
  readonly text?: string;
  readonly minCost?: number;
  readonly maxCost?: number;
  readonly branch?: string;
  readonly threads?: boolean;
  readonly deduplicate?: boolean;
  readonly redact?: boolean;
  readonly hide?: readonly string[];
  readonly tools: boolean;
  readonly split?: number;
  readonly seed: string;
}

/** Checked after the configuration is read, because plug-ins add dialects. */
function requireDialect(name: string): void {
  try {
    findDialect(name);
  } catch (error) {
    throw isSkeinError(error, 'unknown_dialect') ? new UsageError(error.message) : error;
  }
}

/** `skein export`: writes conversations to standard output, a file, or the two files of a split. */
export async function exportFrom(id: string | undefined, options: ExportOptions): Promise<void> {
  const { format, dialect, out, below, only, store, project } = options;
  if (id === undefined && (below || only)) throw new UsageError('--below and --only need a node.');
  if (format === 'older' && out === undefined) throw new UsageError('The older layout is a folder: give --out.');
  requireFilters(options);
  const flags = { ...(store !== undefined && { store }), ...(project !== undefined && { project }) };
  await withForest(flags, async ({ config, forest, redact }) => {
    if (dialect !== undefined) requireDialect(dialect);
    if (hasRedaction(config) && isExact(format))
      throw new CommandError(
        'would_lose',
        `The configuration hides texts, and ${format} are exact: export markdown or messages, or take "redaction" away.`,
      );
    const of = await selected(forest, id, options);
    const where = await readFilters(options);
    const hide = await hider(options.hide);
    const progress = progressLine();
    let lossy = 0;
    let before = 0;
    let messages = 0;
    const watching = {
      of,
      onLosses: (_conversation: ExportLosses) => {
        lossy += 1;
      },
      onDamaged: ({ head, reason }: ExportDamage) => warn(`The conversation to ${head} was left out: ${reason}`),
      onProgress: (count: number) => {
        messages = before + count;
        progress.tell(counted(messages, 'message'));
      },
    };
    const files = outputFiles(options);
    try {
      if (format === 'older') await exportOlder(forest, out!, watching);
      else
        for (const { path, split } of files) {
          const pieces = exportText(forest, {
            ...watching,
            ...{ format, tools: options.tools },
            ...(where && { where }),
            ...(dialect !== undefined && { dialect }),
            ...(split && { split }),
            ...(options.deduplicate && { deduplicate: true }),
            ...(options.redact && { removeKeys: true }),
          });
          const parts = redacted(pieces, (text) => hide(redact(text)));
          await (path === undefined ? writeAll(parts) : writeFile(path, parts));
          before = messages;
        }
    } finally {
      progress.end();
    }
    if (lossy > 0) warn(`${counted(lossy, 'conversation')} lost something in this format; segments lose nothing.`);
    const places = files.flatMap(({ path }) => path ?? []).join(' and ');
    note(`${counted(messages, 'message')} written${places === '' ? '' : ` to ${places}`}.`);
  });
}

function isExact(format: ExportOptions['format']): format is 'segments' | 'older' {
  return format === 'segments' || format === 'older';
}

const NUMBERS = { minRating: '--min-rating', minCost: '--min-cost', maxCost: '--max-cost' } as const;

/** Exact formats are whole, and numbers must be numbers. */
function requireFilters(options: ExportOptions): void {
  const { format, split, out, deduplicate, redact, hide } = options;
  for (const [name, flag] of Object.entries(NUMBERS))
    if (Number.isNaN(options[name as keyof typeof NUMBERS])) throw new UsageError(`${flag} takes a number.`);
  const isChosen = FILTERS.some((name) => options[name] !== undefined);
  if (isExact(format) && (isChosen || split !== undefined || deduplicate || redact || hide))
    throw new UsageError(
      `The format ${format} is exact and complete: filters, --deduplicate, --redact, --hide and --split are for the other formats.`,
    );
  if (split !== undefined && out === undefined)
    throw new UsageError('--split writes two files: give --out, such as --out data.jsonl.');
}

const FILTERS = [
  ...(['tag', 'model', 'since', 'until', 'minRating', 'text', 'minCost', 'maxCost', 'branch', 'threads'] as const),
];

async function readFilters(options: ExportOptions): Promise<ConversationFilters | undefined> {
  const { threads, ...given } = Object.fromEntries(
    FILTERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
  if (Object.keys(given).length === 0 && !threads) return undefined;
  const needsPrices = options.minCost !== undefined || options.maxCost !== undefined;
  const { costOf } = needsPrices ? await import('@skein/core/prices') : {};
  return { ...given, ...(threads && { isThread: true }), ...(costOf && { costOf }) };
}

async function hider(patterns: readonly string[] = []): Promise<(text: string) => string> {
  if (patterns.length === 0) return (text) => text;
  const { createRedactor } = await import('@skein/server');
  try {
    return createRedactor({ patterns });
  } catch (error) {
    throw new UsageError(`--hide takes a regular expression: ${(error as Error).message}`);
  }
}

/** One file or standard output, or the two files of a split: `data.train.jsonl` and `data.test.jsonl`. */
function outputFiles({ out, split: percent, seed }: ExportOptions): { path?: string; split?: DatasetSplit }[] {
  if (out === undefined) return [{}];
  if (percent === undefined) return [{ path: out }];
  const { dir, name, ext } = parse(out);
  return (['train', 'test'] as const).map((part) => ({
    path: join(dir, `${name}.${part}${ext}`),
    split: { part, share: percent / 100, seed },
  }));
}

async function selected(
  forest: Forest,
  id: string | undefined,
  { below, only }: ExportOptions,
): Promise<ExportSelection> {
  if (id === undefined) return 'everything';
  const { node, thread } = await locate(forest, id);
  if (below) return { below: node };
  if (only) return { node };
  return thread ? { thread: thread.id } : { path: node };
}

async function* redacted(pieces: AsyncIterable<string>, redact: (text: string) => string): AsyncGenerator<string> {
  for await (const piece of pieces) yield redact(piece);
}

/** The source of the signals that end the program. */
type Signals = Pick<NodeJS.EventEmitter, 'on' | 'removeListener'>;

const ENDING = ['SIGINT', 'SIGTERM'] as const;

/** Writes a new file, which appears only when it is complete. Ctrl+C leaves nothing behind. */
export async function writeFile(path: string, parts: AsyncIterable<string>, signals: Signals = process): Promise<void> {
  if (await stat(path).catch(() => undefined))
    throw new CommandError('would_overwrite', `${path} already exists: give a new name.`);
  const draft = `${path}.${process.pid}.tmp`;
  const file = await open(draft, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new CommandError('bad_name', `There is no folder ${dirname(path)}: make it, or give another name.`);
    throw Object.assign(error, { path });
  });
  let isStopped = false;
  const stop = () => {
    isStopped = true;
  };
  for (const signal of ENDING) signals.on(signal, stop);
  try {
    for await (const part of parts) {
      if (isStopped) throw new CommandError('aborted', `Stopped: ${path} was not written.`);
      await file.write(part);
    }
    await file.sync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  } finally {
    for (const signal of ENDING) signals.removeListener(signal, stop);
  }
}
