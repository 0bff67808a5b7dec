import { stat } from 'node:fs/promises';
import { IMPORT_FORMATS, type ImportFormat, type ImportResult, importFile, olderSettings } from '@skein/forest';
import { type Command, Option } from 'commander';
import { counted, harmless, say, sayJson, warn } from '../output/output.ts';
import { progressLine } from '../output/progress.ts';
import { inWorld } from '../world/open-world.ts';
import { type ForestFlags, jsonCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly format?: ImportFormat;
  readonly dialect?: string;
}

export function addImport(program: Command): void {
  jsonCommand(program, 'import', 'bring conversations from a file or a folder into the forest')
    .argument('<file>')
    .addOption(new Option('--format <name>', 'what it is, where nothing in it says so').choices(IMPORT_FORMATS))
    .option('--dialect <name>', 'what bare messages are written in, such as openai-chat or legacy')
    .action(importInto);
}

async function importInto(file: string, { json, format, dialect, ...flags }: Options): Promise<void> {
  await inWorld(flags, async ({ forest }) => {
    const progress = progressLine();
    const { size, isFile } = await sizeOf(file);
    const done = await importFile(forest, file, {
      ...(format && { format }),
      ...(dialect !== undefined && { dialect }),
      onProgress: ({ read, elements, messages }) =>
        progress.tell(countsOf(elements, messages), isFile ? read / size : undefined),
    }).finally(progress.end);
    tellProblems(done.problems);
    if (done.format === 'older') await tellSettings(file);
    if (json) sayJson(done);
    else
      say(
        `${done.format}: ${countsOf(done.threads.length, done.messages)}, ${done.added} of them new` +
          `${done.problems.length > 0 ? `; ${done.problems.length} could not be read` : ''}.`,
      );
    if (done.problems.length > 0) process.exitCode = 1;
  });
}

/** A file of another kind than was said has something wrong on every line. */
const MOST_TOLD = 5;

function tellProblems(problems: ImportResult['problems']): void {
  for (const { where, message } of problems.slice(0, MOST_TOLD)) warn(harmless(`${where}: ${message}`));
  if (problems.length > MOST_TOLD) warn(`and ${problems.length - MOST_TOLD} more; --json lists all.`);
}

/** Their file holds keys, so nothing else of it is taken over. */
async function tellSettings(folder: string): Promise<void> {
  for (const { file, names } of await olderSettings(folder))
    warn(`${file}: ${names.join(', ')} do not carry over; write them into skein.config.toml.`);
}

function countsOf(conversations: number, messages: number): string {
  return `${counted(conversations, 'conversation')}, ${counted(messages, 'message')}`;
}

/** How much there is to read is known of a file alone. */
async function sizeOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const found = await stat(path);
  return { size: found.size, isFile: found.isFile() && found.size > 0 };
}
