import { describeLoss, type Notice } from '@skein/core';
import type { Forest, ForestNode, GenerationEvent } from '@skein/forest';
import type { CommandContext } from '../context/command-context.ts';
import { nodeText } from '../output/message-text.ts';
import { colors, counted, oneLine, type colors as palette, toPrintable, write } from '../output/output.ts';

/** Shows an answer while it grows: text as it comes, thoughts as one line, what tools are asked and say. */
export interface TurnView {
  see(event: GenerationEvent): Promise<void>;
  end(): void;
}

/** `isWhole`: what is to be hidden can be cut in two by a stream, so texts are shown when they are complete. */
export function turnView(forest: Forest, redact: CommandContext['redact'], isWhole: boolean): TurnView {
  const calls = new Map<number, { readonly id: string; parameters: string }>();
  let markdown = markdownStream(colors);
  let thoughts = 0;
  let last = '\n';

  const showText = (text: string) => {
    endThoughts();
    write(markdown.push(toPrintable(text)));
    last = text.at(-1) ?? last;
  };
  const endText = () => {
    write(`${markdown.end()}${last === '\n' ? '' : '\n'}`);
    markdown = markdownStream(colors);
    last = '\n';
  };
  const showThoughts = (line: string, end: string) =>
    write(`${colors.isColorSupported ? '\r\x1b[2K' : ''}${colors.dim(line)}${end}`);
  const endThoughts = () => {
    if (thoughts > 0) showThoughts(`(thought: ${counted(thoughts, 'character')}, /thinking shows them)`, '\n');
    thoughts = 0;
  };
  const showLine = (line: string) => {
    endThoughts();
    endText();
    write(`${line}\n`);
  };
  const findParameters = (id: string) => [...calls.values()].find((call) => call.id === id)?.parameters ?? '';

  async function see(event: GenerationEvent): Promise<void> {
    if (event.type === 'text' || event.type === 'refusal') {
      if (!isWhole) showText(event.text);
    } else if (event.type === 'reasoning') {
      thoughts += event.text.length;
      if (colors.isColorSupported) showThoughts(`(thinking: ${counted(thoughts, 'character')})`, '');
    } else if (event.type === 'tool-use') calls.set(event.index, { id: event.id, parameters: '' });
    else if (event.type === 'tool-arguments') {
      const call = calls.get(event.index);
      if (call) call.parameters += event.text;
    } else if (event.type === 'tool-start') showLine(callLine(event.name, redact(findParameters(event.callId))));
    else if (event.type === 'retry')
      showLine(colors.yellow(`Retrying (attempt ${event.attempt}): ${oneLine(event.reason, 200)}`));
    else if (event.type === 'notice') showLine(colors.dim(oneLine(noticeText(event.notice), 300)));
    else if (event.type === 'message') seeMessage(await forest.node(event.node));
  }

  function seeMessage(node: ForestNode): void {
    if (node.role === 'tool') showLine(colors.dim(`  ${oneLine(redact(nodeText(node)), 120)}`));
    else if (isWhole && node.message.text !== '') showText(redact(node.message.text));
  }

  return {
    see,
    end() {
      endThoughts();
      endText();
    },
  };
}

/** With what was left out, as far as it fits. */
function noticeText({ message, losses = [] }: Notice): string {
  return [message, ...losses.map(describeLoss)].join('; ');
}

/** A call in one line, before it runs or is asked about. */
export function callLine(name: string, parameters: string): string {
  return `${colors.cyan('→')} ${oneLine(name)} ${colors.dim(oneLine(parameters, 200))}`;
}

/** Markdown for a terminal, piece by piece: what is given back can be written at once. */
interface MarkdownStream {
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
