import { resolve } from 'node:path';
import type { Role } from '@skein/core';
import type { SearchResult } from '@skein/forest';
import { withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { sayList } from '../output/list.ts';
import { colors, formatTime, note, oneLine, shortId, toPrintable, UsageError } from '../output/output.ts';
import { outputColumns, textWidth } from '../output/width.ts';
import type { ForestFlags, ListFlags } from './forest-command.ts';

interface SearchOptions extends ForestFlags, ListFlags {
  readonly limit: number;
  readonly role?: Role;
  readonly below?: string;
  readonly model?: string;
  readonly tag?: string;
  readonly since?: number;
  readonly until?: number;
  readonly tool?: string;
  readonly file?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly branch?: string;
}

export async function search(words: readonly string[], options: SearchOptions): Promise<void> {
  const { json, format, store, project, role, below, cwd, ...filters } = options;
  if (words.length === 0 && (filters.tool ?? filters.file) === undefined)
    throw new UsageError('Name the words to look for, or a tool (--tool) or a file (--file).');
  await withForest({ store, project }, async ({ forest, redact }) => {
    const page = await forest.search(words.join(' '), {
      ...filters,
      ...(role && { roles: [role] }),
      ...(cwd !== undefined && { cwd: resolve(cwd) }),
      ...(below !== undefined && { below: (await locate(forest, below)).node }),
    });
    const originals = new Map(page.items.map(({ node, snippet }) => [node, snippet]));
    await sayList(
      redact(page.items),
      { ...(json && { json }), ...(format && { format }) },
      {
        // The marks are right only where nothing was hidden.
        line: (hit) => hitLines(hit, originals.get(hit.node) === hit.snippet),
        empty: 'Nothing was found.',
        ...(page.next !== undefined && { more: { next: page.next } }),
      },
    );
    if (page.next !== undefined && !json && format === undefined) note(`There are more: --limit ${filters.limit * 2}`);
  });
}

/** Which message it is, and below it the text around the words. */
function hitLines(hit: SearchResult, isMarked: boolean): string {
  const facts = [formatTime(hit.at), hit.role, ...(hit.model === undefined ? [] : [hit.model])].join(' · ');
  const start = `${shortId(hit.node)}  ${toPrintable(facts)}`;
  const room = Math.max(20, outputColumns() - textWidth(start) - 2);
  const title = hit.title === undefined ? '' : `  ${colors.bold(oneLine(hit.title, Math.min(80, room)))}`;
  const head = `${colors.yellow(shortId(hit.node))}  ${colors.dim(toPrintable(facts))}${title}`;
  return `${head}\n  ${isMarked ? marked(hit) : inLine(hit.snippet)}`;
}

function marked({ snippet, marks }: SearchResult): string {
  const text = inLine(snippet);
  let at = 0;
  let line = '';
  for (const [start, end] of marks) {
    line += text.slice(at, start) + colors.bold(colors.green(text.slice(start, end)));
    at = end;
  }
  return line + text.slice(at);
}

/** Keeps the length, so that the positions of the marks stay right. */
const inLine = (text: string) => toPrintable(text.replace(/[\n\t]/g, ' '));
