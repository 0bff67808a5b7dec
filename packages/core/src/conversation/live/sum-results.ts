import type { RunResult, RunStop } from '../../run/index.ts';
import { lastText } from '../../run/result.ts';
import { addUsage } from '../../run/tokens.ts';

/** Nothing done yet. */
export const NOTHING: RunResult = {
  messages: [],
  text: '',
  output: undefined,
  stop: { reason: 'end', native: undefined },
  pending: [],
  steps: [],
  actions: [],
  usage: undefined,
  cost: undefined,
  losses: [],
  notices: [],
  checkpoints: [],
  manifest: undefined,
};

/** Two results, one after the other, as one. */
export function addResult(before: RunResult, next: RunResult): RunResult {
  const steps = [...before.steps, ...next.steps];
  const messages = [...before.messages, ...next.messages];
  return {
    messages,
    // A model that paused has said one thing in several steps.
    text: lastText(messages),
    output: next.output,
    stop: next.stop,
    pending: next.pending,
    steps,
    actions: [...before.actions, ...next.actions],
    // Not summed up from the steps: what compaction asked is in none of them.
    usage: addUsage(before.usage, next.usage),
    cost: addCost(before, next),
    losses: distinct([...before.losses, ...next.losses]),
    notices: distinct([...before.notices, ...next.notices]),
    checkpoints: next.checkpoints,
    manifest: next.manifest ?? before.manifest,
  };
}

/** Unknown where that of either is; who asked nothing has none to know. */
function addCost(...results: readonly RunResult[]): number | undefined {
  const costs = results.filter(({ steps }) => steps.length > 0).map(({ cost }) => cost);
  return costs.length > 0
    ? costs.reduce((sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost))
    : undefined;
}

export function stoppedFor(result: RunResult, reason: RunStop['reason']): RunResult {
  return { ...result, stop: { reason, native: undefined } };
}

/** Each step tells again what was said before it. */
function distinct<T>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}
