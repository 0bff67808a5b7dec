import { IMPORT_FORMATS, type ImportFormat, importFile } from '@skein/forest';
import { type Command, Option } from 'commander';
import { type ForestFlags, listingCommand } from '../command.ts';
import { inWorld } from '../open-world.ts';
import { harmless, say, sayJson, warn } from '../output.ts';
import { progressLine } from '../progress.ts';

interface Options extends ForestFlags {
  readonly format?: ImportFormat;
  readonly dialect?: string;
}

export function addImport(program: Command): void {
  listingCommand(program, 'import', 'bring conversations from a file or a folder into the forest')
    .argument('<file>')
    .addOption(new Option('--format <name>', 'what it is, where nothing in it says so').choices(IMPORT_FORMATS))
    .option('--dialect <name>', 'what bare messages are written in, such as openai-chat or legacy')
    .action(importInto);
}

async function importInto(file: string, { json, format, dialect, ...flags }: Options): Promise<void> {
  await inWorld(flags, async ({ forest }) => {
    const progress = progressLine();
    const done = await importFile(forest, file, {
      ...(format && { format }),
      ...(dialect !== undefined && { dialect }),
      onProgress: ({ elements, messages }) => progress.tell(`${elements} conversations, ${messages} messages`),
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
