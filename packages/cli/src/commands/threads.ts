import type { Command } from 'commander';
import { colors, note, oneLine, say, sayJson, short, when } from '../output/output.ts';
import { inWorld } from '../world/open-world.ts';
import { countOf, type ForestFlags, jsonCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly limit: number;
  readonly after?: string;
  readonly tag?: string;
  readonly deleted?: boolean;
}

export function addThreads(program: Command): void {
  jsonCommand(program, 'threads', 'list the conversations, last changed first')
    .option('--limit <count>', 'how many', countOf, 50)
    .option('--after <place>', 'go on behind the "next" of an earlier list')
    .option('--tag <name>', 'only those with this tag')
    .option('--deleted', 'those that were deleted')
    .action(listThreads);
}

async function listThreads({ json, limit, after, tag, deleted, ...flags }: Options): Promise<void> {
  await inWorld(flags, async ({ forest, redact }) => {
    const page = await forest.threads.list({
      limit,
      ...(after !== undefined && { after }),
      ...(tag !== undefined && { tag }),
      ...(deleted && { deleted }),
    });
    if (json) return sayJson(redact(page));
    for (const { id, title, head, updatedAt, tags } of page.items) {
      const marks = tags.map((one) => ` #${oneLine(redact(one), 40)}`).join('');
      const name = oneLine(redact(title), 70) || colors.dim('without a title');
      say(`${colors.yellow(id)}  ${when(updatedAt)}  ${short(head)}  ${name}${colors.dim(marks)}`);
    }
    if (page.items.length === 0) note('There is no conversation here yet. "skein ask" and "skein import" make some.');
    if (page.next !== undefined) note(`There are more: --limit ${limit * 2}`);
  });
}
