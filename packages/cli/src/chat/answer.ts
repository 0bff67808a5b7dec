import type { Approval } from '@skein/core';
import type { BranchState, Engine, Generation, ResumeOptions } from '@skein/forest';
import { colors, say } from '../output/output.ts';
import { createTally, type Tally } from '../output/usage-text.ts';
import { readTyped } from './read-typed.ts';
import { callLine, type TurnView } from './turn-view.ts';

/** How an answer ended, and what all of it cost. */
export interface Answer {
  readonly branch: BranchState;
  readonly tally: Tally;
}

export interface Answering {
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
export async function showAnswer(started: Generation, options: ResumeOptions, answering: Answering): Promise<Answer> {
  const { engine, view, onStoppable } = answering;
  const tally = createTally();
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
    const approvals = branch.status === 'waiting' ? await decide(branch, answering) : undefined;
    if (!approvals) return { branch, tally };
    generation = await engine.resume(generation.id, { ...options, approvals });
  }
}

/** What a person says of each call; undefined when they would rather not go on. */
async function decide(
  { pending = [] }: BranchState,
  { trusted, runnable, redact }: Answering,
): Promise<Record<string, Approval> | undefined> {
  const approvals: Record<string, Approval> = {};
  for (const { id, name, rawParameters } of pending) {
    if (!trusted.has(name)) say(callLine(name, redact(rawParameters)));
    const approval = !runnable.has(name)
      ? await resultOf(name)
      : trusted.has(name)
        ? 'approve'
        : await approvalOf(name, trusted);
    if (!approval) return undefined;
    approvals[id] = approval;
  }
  return approvals;
}

async function resultOf(name: string): Promise<Approval | undefined> {
  say(colors.dim(`  ${name} runs in the program that began this conversation, not here.`));
  const typed = await readTyped(colors.yellow('  Its result: '));
  return typed.kind === 'text' ? { result: typed.text } : undefined;
}

async function approvalOf(name: string, trusted: Set<string>): Promise<Approval | undefined> {
  for (;;) {
    const typed = await readTyped(colors.yellow('  May it? y(es), n(o) with a reason, a(lways): '));
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
