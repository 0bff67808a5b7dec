import { type Approval, describeLoss, type Notice } from '@skein/core';
import type {
  BranchState,
  Engine,
  Forest,
  ForestNode,
  GenerateOptions,
  Generation,
  GenerationEvent,
  ResumeOptions,
} from '@skein/forest';
import { type CommandContext, hasRedaction } from '../context/command-context.ts';
import { nodeText } from '../output/message-text.ts';
import {
  colors,
  counted,
  noteError,
  oneLine,
  type colors as palette,
  say,
  toPrintable,
  withHint,
  write,
} from '../output/output.ts';
import { createUsageSum, type UsageSum, usageLine } from '../output/usage-text.ts';
import { readPrompt } from './prompt.ts';
import type { Session } from './session.ts';

/** Answers, one at a time, and what Ctrl+C does to them. */
interface Turns {
  /** How many there were. */
  readonly count: number;
  /** Ctrl+C came twice. */
  readonly isLeaving: boolean;
  /** Asks about what stands at a node, shows the answer, and stands behind it. */
  answer(asked: string, options: GenerateOptions): Promise<void>;
  /** Stops the answer; the second time in a row it means leaving. */
  interrupt(): void;
  /** Something else was typed since. */
  goOn(): void;
}

export function createTurns(context: CommandContext, session: Session, engine: Engine, tally: UsageSum): Turns {
  const { forest, redact, config } = context;
  const trusted = new Set<string>();
  let stop: (() => void) | undefined;
  let count = 0;
  let interrupts = 0;

  const interrupt = () => {
    interrupts += 1;
    stop?.();
  };

  async function answer(asked: string, options: GenerateOptions): Promise<void> {
    process.on('SIGINT', interrupt);
    try {
      const { id: thread } = await session.own();
      const answered = await showAnswer(await engine.generate(asked, { ...options, thread }), options, {
        engine,
        runnable: new Set((options.tools ?? []).flatMap((one) => ('execute' in one ? [one.name] : []))),
        view: turnView(forest, redact, hasRedaction(config)),
        trusted,
        redact,
        onStoppable: (given) => {
          stop = given;
          // Ctrl+C may have come before there was anything to stop.
          if (interrupts > 0) stop?.();
        },
      });
      const { status, head, error } = answered.branch;
      await session.moveTo(head);
      if (status === 'aborted') say(colors.yellow('Stopped; what came is kept.'));
      if (status === 'waiting') say(colors.yellow('The call was not run.'));
      if (error) noteError(`${withHint(error.message, error.code)} (/again asks once more)`);
      const { usage, cost } = answered.tally;
      if (usage) say(colors.dim(usageLine(usage, cost)));
      tally.add(usage, cost);
      count += 1;
    } finally {
      process.removeListener('SIGINT', interrupt);
    }
  }

  return {
    answer,
    interrupt,
    goOn: () => {
      interrupts = 0;
    },
    get count() {
      return count;
    },
    get isLeaving() {
      return interrupts > 1;
    },
  };
}

/** How an answer ended, and what all of it cost. */
interface AnswerResult {
  readonly branch: BranchState;
  readonly tally: UsageSum;
}

interface AnswerContext {
  readonly engine: Engine;
  readonly view: TurnView;
  /** Names of tools that were always approved. */
  readonly trusted: Set<string>;
  /** Names of tools that run here; the result of any other call is for the person to write. */
  readonly runnable: ReadonlySet<string>;
  readonly redact: (text: string) => string;
  /** Told what would stop it, while it runs. */
  readonly onStoppable: (stop: (() => void) | undefined) => void;
}

/** Shows a generation until it ends; calls that need approval are asked about, and it goes on with what was decided. */
async function showAnswer(started: Generation, options: ResumeOptions, context: AnswerContext): Promise<AnswerResult> {
  const { engine, view, onStoppable } = context;
  const tally = createUsageSum();
  let generation = started;
  let after: string | undefined;
  for (;;) {
    onStoppable(() => generation.stop());
    for await (const { id, event } of engine.follow(generation.id, after)) {
      after = id;
      await view.see(event);
      if (event.type === 'branch-end') tally.add(event.usage, event.cost);
    }
    onStoppable(undefined);
    view.end();
    const branch = (await generation.result).branches[0]!;
    const approvals = branch.status === 'waiting' ? await decide(branch, context) : undefined;
    if (!approvals) return { branch, tally };
    generation = await engine.resume(generation.id, { ...options, approvals });
  }
}

/** What a person says of each call; undefined when they would rather not go on. */
async function decide(
  { pending = [] }: BranchState,
  { trusted, runnable, redact }: AnswerContext,
): Promise<Record<string, Approval> | undefined> {
  const approvals: Record<string, Approval> = {};
  for (const { id, name, rawParameters } of pending) {
    if (!trusted.has(name)) say(callLine(name, redact(rawParameters)));
    const approval = !runnable.has(name)
      ? await askForResult(name)
      : trusted.has(name)
        ? 'approve'
        : await askForApproval(name, trusted);
    if (!approval) return undefined;
    approvals[id] = approval;
  }
  return approvals;
}

async function askForResult(name: string): Promise<Approval | undefined> {
  say(colors.dim(`  ${name} runs in the program that began this conversation, not here.`));
  const typed = await readPrompt(colors.yellow('  Its result: '));
  return typed.kind === 'text' ? { result: typed.text } : undefined;
}

async function askForApproval(name: string, trusted: Set<string>): Promise<Approval | undefined> {
  for (;;) {
    const typed = await readPrompt(colors.yellow('  May it? y(es), n(o) with a reason, a(lways): '));
    if (typed.kind !== 'text') return undefined;
    const [word = '', ...reason] = typed.text.trim().split(/\s+/);
    if (/^y(es)?$/i.test(word)) return 'approve';
    if (/^a(lways)?$/i.test(word)) {
      trusted.add(name);
      return 'approve';
    }
    if (/^no?$/i.test(word)) return { deny: reason.join(' ') || 'the user said no' };
  }
}

/** Shows an answer while it grows: text as it comes, thoughts as one line, what tools are asked and say. */
interface TurnView {
  see(event: GenerationEvent): Promise<void>;
  end(): void;
}

/** `isWhole`: what is to be hidden can be cut in two by a stream, so texts are shown when they are complete. */
function turnView(forest: Forest, redact: CommandContext['redact'], isWhole: boolean): TurnView {
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
function callLine(name: string, parameters: string): string {
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
