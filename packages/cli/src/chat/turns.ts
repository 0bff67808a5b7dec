import type { Approval } from '@skein/core';
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
import { markdownStream } from '../output/markdown.ts';
import { nodeText, noticeText } from '../output/message-text.ts';
import { colors, counted, noteError, oneLine, say, toPrintable, withHint, write } from '../output/output.ts';
import { createUsageSum, type UsageSum, usageLine } from '../output/usage-text.ts';
import { readPrompt } from './prompt.ts';
import type { Session } from './session.ts';

/** Generates answers, one at a time, and handles Ctrl+C. */
interface Turns {
  /** The number of answers so far. */
  readonly count: number;
  /** Whether Ctrl+C was pressed twice in a row. */
  readonly isLeaving: boolean;
  /** Generates an answer to a node, shows it, and moves to it. */
  answer(asked: string, options: GenerateOptions): Promise<void>;
  /** Stops the answer. The second time in a row, it leaves the chat. */
  interrupt(): void;
  /** Forgets an earlier Ctrl+C, because something else was typed since. */
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
          // Ctrl+C may have been pressed before there was anything to stop.
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

/** Prints how an answer ended, and the total cost so far. */
interface AnswerResult {
  readonly branch: BranchState;
  readonly tally: UsageSum;
}

interface AnswerContext {
  readonly engine: Engine;
  readonly view: TurnView;
  /** The names of tools whose calls need no further approval. */
  readonly trusted: Set<string>;
  /** The names of tools that run here. For any other call, the user types the result. */
  readonly runnable: ReadonlySet<string>;
  readonly redact: (text: string) => string;
  /** Receives a function that stops the generation, while it runs. */
  readonly onStoppable: (stop: (() => void) | undefined) => void;
}

/** Shows a generation until it ends. Asks the user about calls that need approval, and continues with the decisions. */
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

/** The user's decision about each call; undefined if the user cancels. */
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

/** Shows an answer while it arrives: its text, its reasoning as one line, tool calls and their results. */
interface TurnView {
  see(event: GenerationEvent): Promise<void>;
  end(): void;
}

/** With `isWhole`, texts are shown when they are complete: a stream could cut a text that must be hidden in two. */
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

/** A call as one line, shown before it runs or needs a decision. */
function callLine(name: string, parameters: string): string {
  return `${colors.cyan('→')} ${oneLine(name)} ${colors.dim(oneLine(parameters, 200))}`;
}
