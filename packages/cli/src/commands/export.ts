import { dialect, openaiChat } from '@skein/core';
import {
  type ExportDamage,
  type ExportFormat,
  type ExportLosses,
  type ExportSelection,
  exportOlder,
  exportText,
  type Forest,
} from '@skein/forest';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { counted, note, UsageError, warn, writeAll } from '../output/output.ts';
import { progressLine } from '../output/progress.ts';
import { writeFile } from '../output/write-file.ts';
import { findPlace } from '../world/find-place.ts';
import { hasRedaction, inWorld } from '../world/open-world.ts';
import { type ForestFlags, forestCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly format: ExportFormat | 'older';
  readonly dialect?: string;
  readonly out?: string;
  readonly below?: boolean;
  readonly only?: boolean;
}

export function addExport(program: Command): void {
  forestCommand(program, 'export', 'write conversations to standard output or a file')
    .argument('[node|thread]', 'the history up to a node, or a thread; default: everything')
    .addOption(
      new Option('--format <name>', 'segments lose nothing and can be imported again')
        .choices(['segments', 'markdown', 'messages', 'fine-tuning', 'older'])
        .default('segments'),
    )
    .option('--dialect <name>', 'for messages and fine-tuning', dialectOf, openaiChat.id)
    .option('--out <path>', 'a new file; a new folder for older')
    .addOption(new Option('--below', 'the node with everything below it').conflicts('only'))
    .option('--only', 'the one message')
    .action(exportFrom);
}

function dialectOf(name: string): string {
  try {
    return dialect(name).id;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

async function exportFrom(id: string | undefined, options: Options): Promise<void> {
  const { format, dialect, out, below, only, ...flags } = options;
  if (id === undefined && (below || only)) throw new UsageError('--below and --only need a node.');
  if (format === 'older' && out === undefined) throw new UsageError('The older layout is a folder: give --out.');
  await inWorld(flags, async ({ config, forest, redact }) => {
    if (hasRedaction(config) && (format === 'segments' || format === 'older'))
      throw new Error(
        `The configuration hides texts, and ${format} are exact: export markdown or messages, or take "redaction" away.`,
      );
    const of = await selected(forest, id, options);
    const progress = progressLine();
    let lossy = 0;
    let messages = 0;
    const watching = {
      of,
      onLosses: (_conversation: ExportLosses) => {
        lossy += 1;
      },
      onDamaged: ({ head, reason }: ExportDamage) => warn(`The conversation to ${head} was left out: ${reason}`),
      onProgress: (count: number) => {
        messages = count;
        progress.tell(counted(count, 'message'));
      },
    };
    try {
      if (format === 'older') await exportOlder(forest, out!, watching);
      else {
        const pieces = exportText(forest, { ...watching, format, ...(dialect !== undefined && { dialect }) });
        const parts = redacted(pieces, redact);
        await (out === undefined ? writeAll(parts) : writeFile(out, parts));
      }
    } finally {
      progress.end();
    }
    if (lossy > 0) warn(`${counted(lossy, 'conversation')} lost something in this format; segments lose nothing.`);
    note(`${counted(messages, 'message')} written${out === undefined ? '' : ` to ${out}`}.`);
  });
}

async function selected(forest: Forest, id: string | undefined, { below, only }: Options): Promise<ExportSelection> {
  if (id === undefined) return 'everything';
  const { node, thread } = await findPlace(forest, id);
  if (below) return { below: node };
  if (only) return { node };
  return thread ? { thread: thread.id } : { path: node };
}

async function* redacted(pieces: AsyncIterable<string>, redact: (text: string) => string): AsyncGenerator<string> {
  for await (const piece of pieces) yield redact(piece);
}
