import { highlightCode } from './highlight.ts';
import type { colors as palette } from './output.ts';
import { textWidth } from './width.ts';

/** Renders Markdown for a terminal piece by piece. */
interface MarkdownStream {
  push(text: string): string;
  /** Returns the rest, which was held back because its meaning was still open. */
  end(): string;
}

const STYLES = {
  bold: ['\x1b[1m', '\x1b[22m'],
  code: ['\x1b[36m', '\x1b[39m'],
  quiet: ['\x1b[2m', '\x1b[22m'],
} as const;
type Style = keyof typeof STYLES;

/** A line that may still become a heading, a list, a quotation or a fence. */
const UNDECIDED = /^ *(#{1,6}|[-*+]|\d{1,3}[.)]?|>|`{1,2}|~{1,2})?$/;
/** A line of a table, once its end is known. */
const TABLE = /^ {0,3}\|/;
const FENCE = /^ *(```|~~~)/;

/** Renders headings, bold words, code, lists and tables. Without colours, the text is unchanged. */
export function markdownStream({ isColorSupported }: Pick<typeof palette, 'isColorSupported'>): MarkdownStream {
  if (!isColorSupported) return { push: (text) => text, end: () => '' };
  let held = '';
  let isLineStart = true;
  /** The language of the fenced code; undefined outside of it. */
  let fence: string | undefined;
  let table: string[] = [];
  let line: Style | undefined;
  const open = new Set<Style>();

  const start = (style: Style) => {
    open.add(style);
    return STYLES[style][0];
  };
  const stop = (style: Style) => {
    open.delete(style);
    // Bold and quiet have the same end sequence, so the style of the line must be started again.
    return STYLES[style][1] + (line !== undefined && line !== style ? STYLES[line][0] : '');
  };

  /** Renders the start of a line; undefined while its kind is still open. */
  function begin(isEnd: boolean): string | undefined {
    const newline = held.indexOf('\n');
    if (fence !== undefined && !FENCE.test(held)) return codeLine(newline, isEnd);
    if (fence === undefined && TABLE.test(held)) {
      // A table is drawn when its last line is known: only then are the widths of its columns.
      if (newline < 0 && !isEnd) return undefined;
      table.push(newline < 0 ? held : held.slice(0, newline));
      held = newline < 0 ? '' : held.slice(newline + 1);
      return held === '' && isEnd ? endTable(newline >= 0) : '';
    }
    if (table.length > 0) return /^ {0,3}$/.test(held) && !isEnd ? undefined : endTable(true);
    if (newline < 0 && !isEnd && (UNDECIDED.test(held) || FENCE.test(held))) return undefined;
    isLineStart = false;
    if (FENCE.test(held)) {
      const whole = newline < 0 ? held : held.slice(0, newline);
      held = held.slice(whole.length);
      fence = fence === undefined ? whole.replace(/^ *[`~]+/, '').trim() : undefined;
      return `${STYLES.quiet[0]}${whole}${STYLES.quiet[1]}`;
    }
    const [heading] = /^ *#{1,6} /.exec(held) ?? [];
    if (heading !== undefined) return beginWith('bold', '', heading.length);
    const [quotation] = /^ *> ?/.exec(held) ?? [];
    if (quotation !== undefined) return beginWith('quiet', '│ ', quotation.length);
    const [item, indent] = /^( *)[-*+] /.exec(held) ?? [];
    if (item === undefined) return '';
    held = held.slice(item.length);
    return `${indent}• `;
  }

  /** A whole line of fenced code. */
  function codeLine(newline: number, isEnd: boolean): string | undefined {
    if (newline < 0 && !isEnd) return undefined;
    const code = newline < 0 ? held : held.slice(0, newline);
    held = held.slice(code.length);
    isLineStart = false;
    return highlightCode(code, fence ?? '') ?? `${STYLES.code[0]}${code}${STYLES.code[1]}`;
  }

  function endTable(hasNewline: boolean): string {
    const drawn = drawTable(table);
    table = [];
    return `${drawn.join('\n')}${hasNewline ? '\n' : ''}`;
  }

  function beginWith(style: Style, mark: string, length: number): string {
    held = held.slice(length);
    line = style;
    return start(style) + mark;
  }

  /** Renders the next piece within a line; undefined while its kind is still open. */
  function inline(isEnd: boolean): string | undefined {
    if (held.startsWith('\n')) {
      held = held.slice(1);
      isLineStart = true;
      line = undefined;
      return `${[...open].reverse().map(stop).join('')}\n`;
    }
    if (fence === undefined && held.startsWith('`')) {
      held = held.slice(1);
      return open.has('code') ? stop('code') : start('code');
    }
    if (fence === undefined && !open.has('code') && held.startsWith('*')) {
      if (!isEnd && (held === '*' || held === '**')) return undefined;
      const isMark = held.startsWith('**') && line !== 'bold';
      if (isMark && (open.has('bold') || /^\*\*\S/.test(held))) {
        held = held.slice(2);
        return open.has('bold') ? stop('bold') : start('bold');
      }
    }
    const [, plain = ''] = /^([\s\S][^\n`*]*)/.exec(held) ?? [];
    held = held.slice(plain.length);
    return plain;
  }

  function drain(isEnd: boolean): string {
    let out = '';
    while (held !== '') {
      const piece = isLineStart ? begin(isEnd) : inline(isEnd);
      if (piece === undefined) break;
      out += piece;
    }
    return out;
  }

  return {
    push(text) {
      held += text;
      return drain(false);
    },
    end: () => drain(true) + (table.length > 0 ? endTable(false) : '') + [...open].reverse().map(stop).join(''),
  };
}

const RULE = /^:?-+:?$/;

/** Aligns the columns of a table. Lines that are no table stay as they are. */
function drawTable(lines: readonly string[]): string[] {
  const rows = lines.map(cellsIn);
  const rule = rows[1];
  if (!rule?.every((cell) => RULE.test(cell))) return [...lines];
  const widths = rule.map((_, column) =>
    Math.max(...rows.map((row, at) => (at === 1 ? 3 : cellWidth(row[column] ?? '')))),
  );
  const drawn = rows.map((row, at) => {
    if (at === 1) return `${STYLES.quiet[0]}${widths.map((width) => '─'.repeat(width)).join('─┼─')}${STYLES.quiet[1]}`;
    const cells = widths.map((width, column) => {
      const cell = styleCell(row[column] ?? '');
      const room = ' '.repeat(Math.max(0, width - cellWidth(row[column] ?? '')));
      const text = /^-+:$/.test(rule[column]!) ? room + cell : cell + room;
      return at === 0 ? `${STYLES.bold[0]}${text}${STYLES.bold[1]}` : text;
    });
    return cells.join(`${STYLES.quiet[0]} │ ${STYLES.quiet[1]}`).trimEnd();
  });
  return drawn;
}

/** The cells of a line; `\\|` is a bar in a cell. */
function cellsIn(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const plainCell = (cell: string) => cell.replace(/\*\*(\S.*?)\*\*|`([^`]+)`/g, (_all, bold, code) => bold ?? code);
const cellWidth = (cell: string) => textWidth(plainCell(cell));
const styleCell = (cell: string) =>
  cell.replace(/\*\*(\S.*?)\*\*|`([^`]+)`/g, (_all, bold, code) =>
    bold === undefined ? `${STYLES.code[0]}${code}${STYLES.code[1]}` : `${STYLES.bold[0]}${bold}${STYLES.bold[1]}`,
  );
