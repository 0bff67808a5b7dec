import type { Role } from '@skein/core';
import type { SearchResult } from '@skein/forest';
import { type Command, Option } from 'commander';
import { withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { colors, note, say, sayJson, shortId, toPrintable } from '../output/output.ts';
import { type ForestFlags, jsonCommand, parseCount, parseInstant } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly limit: number;
  readonly role?: Role;
  readonly below?: string;
  readonly model?: string;
  readonly tag?: string;
  readonly since?: number;
  readonly until?: number;
}

export function addSearch(program: Command): void {
  jsonCommand(program, 'search', 'find messages that contain all the words; the last may be the beginning of a word')
    .argument('<words...>')
    .option('--limit <count>', 'how many', parseCount, 20)
    .addOption(
      new Option('--role <role>', 'only messages of this role').choices(['system', 'user', 'assistant', 'tool']),
    )
    .option('--below <node>', 'only below this node')
    .option('--model <name>', 'only messages that this model wrote')
    .option('--tag <name>', 'only nodes with this tag')
    .option('--since <day>', 'only from then on', parseInstant)
    .option('--until <day>', 'only up to then', parseInstant)
    .action(search);
}

async function search(words: readonly string[], options: Options): Promise<void> {
  const { json, store, project, role, below, ...filters } = options;
  await withForest({ store, project }, async ({ forest, redact }) => {
    const page = await forest.search(words.join(' '), {
      ...filters,
      ...(role && { roles: [role] }),
      ...(below !== undefined && { below: (await locate(forest, below)).node }),
    });
    if (json) return sayJson({ ...page, items: redact(page.items) });
    for (const found of page.items) {
      const shown = redact(found.snippet);
      const text = shown === found.snippet ? marked(found) : inLine(shown);
      say(`${colors.yellow(shortId(found.node))} ${colors.bold(found.role)} ${text}`);
    }
    if (page.items.length === 0) note('Nothing was found.');
    if (page.next !== undefined) note(`There are more: --limit ${filters.limit * 2}`);
  });
}

function marked({ snippet, marks }: SearchResult): string {
  const text = inLine(snippet);
  let at = 0;
  let line = '';
  for (const [start, end] of marks) {
    line += text.slice(at, start) + colors.green(text.slice(start, end));
    at = end;
  }
  return line + text.slice(at);
}

/** As long as before, so that the marks still fit. */
const inLine = (text: string) => toPrintable(text.replace(/[\n\t]/g, ' '));
