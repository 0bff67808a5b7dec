import type { colors as palette } from '../output/output.ts';

/** Markdown for a terminal, piece by piece: what is given back can be written at once. */
export interface MarkdownStream {
  push(text: string): string;
  /** What was held back until it was clear what it is. */
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
const FENCE = /^ *(```|~~~)/;

/** Headings, bold words, code and lists. Without colours the text stays as it is. */
export function markdownStream({ isColorSupported }: Pick<typeof palette, 'isColorSupported'>): MarkdownStream {
  if (!isColorSupported) return { push: (text) => text, end: () => '' };
  let held = '';
  let isLineStart = true;
  let isFenced = false;
  let line: Style | undefined;
  const open = new Set<Style>();

  const start = (style: Style) => {
    open.add(style);
    return STYLES[style][0];
  };
  const stop = (style: Style) => {
    open.delete(style);
    // Bold and quiet share their end, so what the line itself is begins again.
    return STYLES[style][1] + (line !== undefined && line !== style ? STYLES[line][0] : '');
  };

  /** What stands before the text of a line; undefined while that is open. */
  function begin(isEnd: boolean): string | undefined {
    const newline = held.indexOf('\n');
    if (newline < 0 && !isEnd && (UNDECIDED.test(held) || FENCE.test(held))) return undefined;
    isLineStart = false;
    if (FENCE.test(held)) {
      const whole = newline < 0 ? held : held.slice(0, newline);
      held = held.slice(whole.length);
      isFenced = !isFenced;
      return `${STYLES.quiet[0]}${whole}${STYLES.quiet[1]}`;
    }
    if (isFenced) return beginWith('code', '', 0);
    const [heading] = /^ *#{1,6} /.exec(held) ?? [];
    if (heading !== undefined) return beginWith('bold', '', heading.length);
    const [quotation] = /^ *> ?/.exec(held) ?? [];
    if (quotation !== undefined) return beginWith('quiet', '│ ', quotation.length);
    const [item, indent] = /^( *)[-*+] /.exec(held) ?? [];
    if (item === undefined) return '';
    held = held.slice(item.length);
    return `${indent}• `;
  }

  function beginWith(style: Style, mark: string, length: number): string {
    held = held.slice(length);
    line = style;
    return start(style) + mark;
  }

  /** The next piece within a line; undefined while it is open what it is. */
  function inline(isEnd: boolean): string | undefined {
    if (held.startsWith('\n')) {
      held = held.slice(1);
      isLineStart = true;
      line = undefined;
      return `${[...open].reverse().map(stop).join('')}\n`;
    }
    if (!isFenced && held.startsWith('`')) {
      held = held.slice(1);
      return open.has('code') ? stop('code') : start('code');
    }
    if (!isFenced && !open.has('code') && held.startsWith('*')) {
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
    end: () => drain(true) + [...open].reverse().map(stop).join(''),
  };
}
