import type { Message, ToolUseBlock } from '../message/index.ts';
import { checkMessages } from '../message/message.ts';
import { askerOf } from './asker.ts';
import { reachedLimit } from './limits.ts';
import type { Running } from './running.ts';
import type { Directory } from './targets.ts';
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
  const ask = askerOf(running, directory);

  // Those that the history leaves open; what answers calls is loaded on first use.
  const last = stored.findLast(({ role }) => role === 'assistant');
  let calls = last?.facts.calls.length ? (await tooling()).pendingCalls(stored) : [];
  for (;;) {
    if (calls.length > 0) {
      const { answer } = await tooling();
      const waiting = await answer(calls, running, history());
      if (stopping.stopped || waiting.length > 0) return ended(stopping.stopped ?? 'approval', waiting);
      if (output?.answer !== undefined) return ended('end');
    }
    if (stopping.stopped) return ended(stopping.stopped);
    const { steps, added, usage, knownCost: cost } = journal;
    if (steps.length > 0 && stopWhen?.({ steps: [...steps], messages: [...added] })) return ended('stopped');
    const limit = reachedLimit(limits, { steps: steps.length, usage, cost, ms: clock.now() - startedAt });
    if (limit) return ended(limit);

    const step = await ask(history());
    calls = step?.message.toolUses ?? [];
    if (stopping.stopped) {
      if (!step?.message.origin.cut) await refuse('the run was stopped');
      return ended(stopping.stopped);
    }
    const { stop, provider, model } = step!;
    if (stop.reason === 'length')
      journal.notice('length', `${provider}/${model} reached its limit of tokens; the answer is incomplete`);
    const isMeant = !NOT_MEANT.has(stop.reason);
    if (!isMeant) await refuse(`the reply ended early (${stop.native ?? stop.reason})`);
    if (!isMeant || (calls.length === 0 && stop.reason !== 'pause')) return { stop, pending: [] };
  }

  async function refuse(why: string): Promise<void> {
    if (calls.length > 0) (await tooling()).refuse(calls, why, running);
  }
}

const tooling = () => import('./tools/use-tools.ts');

function ended(reason: RunStop['reason'], pending: readonly ToolUseBlock[] = []): Ended {
  return { stop: { reason, native: undefined }, pending };
}
