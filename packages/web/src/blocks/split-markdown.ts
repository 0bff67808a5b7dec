import { Lexer, type Token, type Tokens } from 'marked';

/** A reference or footnote definition must stay together with the text that uses it. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;

/**
 * Cuts markdown into its top-level blocks, which joined are the text again. While text streams only the last block
 * changes, so only that one is rendered again. `before` are the blocks of a shorter text: those that are still at the beginning
 * are kept, except the last two, which the new text may have changed.
 */
export function splitMarkdown(text: string, before: readonly string[] = []): readonly string[] {
  if (DEFINITION.test(text)) return [text];
  const closed = before.slice(0, -2);
  const beginning = closed.join('');
  const blocks = text.startsWith(beginning) ? closed : [];
  const rest = blocks.length > 0 ? text.slice(beginning.length) : text;
  for (const { type, raw } of readBlocks(rest)) {
    if (type === 'space' && blocks.length > 0) blocks[blocks.length - 1] += raw;
    else blocks.push(raw);
  }
  return blocks;
}

/** Without the words inside the blocks, which take eight times as long to read. */
function readBlocks(text: string): Token[] {
  return new Lexer().blockTokens(text.replace(/\r\n|\r/g, '\n'));
}

/** How a block is rendered: fenced code as it is, long lists and tables in parts, all else as Markdown. */
export type BlockPlan =
  | { readonly type: 'code'; readonly code: string; readonly language?: string }
  | { readonly type: 'list'; readonly start?: number; readonly isLoose: boolean; readonly parts: readonly string[] }
  | { readonly type: 'table'; readonly head: string; readonly parts: readonly string[] }
  | { readonly type: 'markdown' };

/** How many items of a list, or rows of a table, are read at once. While they stream, only the last part is read again. */
const PART = 8;

export function planBlock(text: string): BlockPlan {
  const [first, ...others] = readBlocks(text);
  if (!first || others.some(({ type }) => type !== 'space')) return { type: 'markdown' };
  switch (first.type) {
    case 'code':
      return planCode(first as Tokens.Code);
    case 'list':
      return planList(first as Tokens.List);
    case 'table':
      return planTable(first as Tokens.Table);
    default:
      return { type: 'markdown' };
  }
}

function planCode({ codeBlockStyle, text, lang }: Tokens.Code): BlockPlan {
  if (codeBlockStyle === 'indented') return { type: 'markdown' };
  const language = lang?.split(/\s/)[0];
  return { type: 'code', code: text, ...(language && { language }) };
}

function planList({ items, loose, ordered, start }: Tokens.List): BlockPlan {
  const parts = inParts(items.map(({ raw }) => raw)).map((raws) => {
    const part = raws.map((raw) => (raw.endsWith('\n') ? raw : `${raw}\n`)).join('');
    // If one item of a list is loose, all are: one more item in front, before an empty line, makes them so.
    return loose ? `${markerOf(items[0]!)} .\n\n${part}` : part;
  });
  return { type: 'list', isLoose: loose, parts, ...(ordered && { start: Number(start) }) };
}

/** The mark of an item, with the spaces in front of it. */
function markerOf({ raw }: Tokens.ListItem): string {
  return /^ *(?:[-*+]|\d{1,9}[.)])/.exec(raw)?.[0] ?? '-';
}

function planTable({ raw, rows }: Tokens.Table): BlockPlan {
  const lines = raw.split('\n').filter((line) => line.trim() !== '');
  // Rows are lines, unless the two readers of Markdown disagree.
  if (rows.length === 0 || lines.length !== rows.length + 2) return { type: 'markdown' };
  const head = `${lines[0]}\n${lines[1]}\n`;
  return { type: 'table', head, parts: inParts(lines.slice(2)).map((part) => `${head}${part.join('\n')}`) };
}

function inParts<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / PART) }, (_, at) => items.slice(at * PART, (at + 1) * PART));
}
