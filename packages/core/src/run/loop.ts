import { checkMessages, type Message, type ToolUseBlock } from '../message/index.ts';
import { Asker } from './asker.ts';
import { reachedLimit } from './limits.ts';
import { pendingCalls } from './pending.ts';
import type { Running } from './running.ts';
import type { Directory } from './targets.ts';
import type { Answering } from './tools/answer-calls.ts';
import type { RunStop } from './types.ts';

export interface Ended {
  readonly stop: RunStop;
  /** Calls that wait for approval. */
  readonly pending: readonly ToolUseBlock[];
}

/** Reasons to end for which calls may be unfinished or unwanted. */
const NOT_MEANT: ReadonlySet<string> = new Set(['length', 'refusal', 'filter', 'error', 'cut']);

/** Asks, runs tools and asks again, until the model has no more calls or something ends it. */
export async function loop(running: Running, directory: Directory): Promise<Ended> {
  const { options, journal, stopping, clock, output } = running;
  const { stopWhen, limits = {} } = options;
  const startedAt = clock.now();
  const stored = checkMessages(options.messages);
  const history = (): readonly Message[] => [...stored, ...journal.added];
  const asker = new Asker(running, directory);
  const answering = () => answeringFor(running, asker, history());

  let calls = pendingCalls(stored);
  for (;;) {
    if (calls.length > 0) {
      const { answerCalls } = await answers();
      const waiting = await answerCalls(calls, answering());
      for (const call of waiting) journal.waitFor(call);
      if (stopping.reason || waiting.length > 0) return ended(stopping.reason ?? 'approval', waiting);
      if (output?.answer !== undefined) return ended('end');
    }
    if (stopping.reason) return ended(stopping.reason);
    const { steps, added, usage, knownCost: cost } = journal;
    if (steps.length > 0 && stopWhen?.({ steps: [...steps], messages: [...added] })) return ended('stopped');
    const limit = reachedLimit(limits, { steps: steps.length, usage, cost, ms: clock.now() - startedAt });
    if (limit) return ended(limit);

    const step = await asker.next(history());
    calls = step?.message.toolUses ?? [];
    if (stopping.reason) {
      if (!step?.message.origin.cut) await refuse(calls, 'The call was not run: the run was stopped.', answering());
      return ended(stopping.reason);
    }
    const { stop, provider, model } = step!;
    if (stop.reason === 'length')
      journal.notice('length', `${provider}/${model} reached its limit of tokens; the answer is incomplete`);
    if (NOT_MEANT.has(stop.reason)) {
      const why = `The call was not run: the reply ended early (${stop.native ?? stop.reason}).`;
      await refuse(calls, why, answering());
      return { stop, pending: [] };
    }
    if (calls.length === 0 && stop.reason !== 'pause') return { stop, pending: [] };
  }
}

/** Loaded on first use: many runs have no tools. */
const answers = () => import('./tools/answer-calls.ts');

async function refuse(calls: readonly ToolUseBlock[], why: string, answering: Answering): Promise<void> {
  if (calls.length > 0) (await answers()).refuseCalls(calls, why, answering);
}

function answeringFor(
  { options, journal, stopping, clock, tools }: Running,
  asker: Asker,
  history: readonly Message[],
): Answering {
  return {
    tools,
    targets: asker.policies,
    approvals: options.approvals ?? {},
    history,
    signal: stopping.signal,
    clock,
    onStart: ({ id, rawParameters }, name) =>
      journal.observe({ type: 'tool-start', callId: id, name, arguments: rawParameters }),
    onEnd: (action, message) => journal.act(action, message),
    onMessage: (message) => journal.add(message),
  };
}

function ended(reason: RunStop['reason'], pending: readonly ToolUseBlock[] = []): Ended {
  return { stop: { reason, native: undefined }, pending };
}
