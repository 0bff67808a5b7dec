import type { Approval } from '@skein/core';
import type { BranchState, Engine, GenerateOptions, Generation, ResumeOptions } from '@skein/forest';
import { type CommandContext, hasRedaction } from '../context/command-context.ts';
import { colors, noteError, say, withHint } from '../output/output.ts';
import { createUsageSum, type UsageSum, usageLine } from '../output/usage-text.ts';
import { readPrompt } from './prompt.ts';
import type { Session } from './session.ts';
import { callLine, type TurnView, turnView } from './turn-view.ts';

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
