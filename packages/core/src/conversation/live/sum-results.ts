import type { RunResult, RunStop } from '../../run/index.ts';
import { sumUsage } from '../../run/usage.ts';

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
  const isCostKnown = steps.length > 0 && steps.every(({ cost }) => cost !== undefined);
  const said = next.messages.some(({ role }) => role === 'assistant');
  return {
    messages: [...before.messages, ...next.messages],
    text: said ? next.text : before.text,
    output: next.output,
    stop: next.stop,
    pending: next.pending,
    steps,
    actions: [...before.actions, ...next.actions],
    usage: sumUsage(steps.flatMap(({ usage }) => usage ?? [])),
    cost: isCostKnown ? steps.reduce((sum, { cost = 0 }) => sum + cost, 0) : undefined,
    losses: distinct([...before.losses, ...next.losses]),
    notices: distinct([...before.notices, ...next.notices]),
    checkpoints: next.checkpoints,
    manifest: next.manifest ?? before.manifest,
  };
}

export function stoppedFor(result: RunResult, reason: RunStop['reason']): RunResult {
  return { ...result, stop: { reason, native: undefined } };
}

/** Each step tells again what was said before it. */
function distinct<T>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}
