import { stat } from 'node:fs/promises';
import { IMPORT_FORMATS, type ImportFormat, importFile } from '@skein/forest';
import { type Command, Option } from 'commander';
import { harmless, say, sayJson, warn } from '../output/output.ts';
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
        progress.tell(`${elements} conversations, ${messages} messages`, isFile ? read / size : undefined),
    }).finally(progress.end);
    for (const { where, message } of done.problems) warn(harmless(`${where}: ${message}`));
    if (json) sayJson(done);
    else
      say(
        `${done.format}: ${done.threads.length} conversations, ${done.messages} messages, ${done.added} of them new` +
          `${done.problems.length > 0 ? `; ${done.problems.length} could not be read` : ''}.`,
      );
    if (done.problems.length > 0) process.exitCode = 1;
  });
}

/** How much there is to read is known of a file alone. */
async function sizeOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const found = await stat(path);
  return { size: found.size, isFile: found.isFile() && found.size > 0 };
}
