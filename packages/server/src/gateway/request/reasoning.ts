import type { RequestParams } from '@skein/core';
import type { LossNote, ReasoningLevels } from '@skein/core/dialect';

type Reasoning = NonNullable<RequestParams['reasoning']>;

/** The levels of all protocols, from the least. */
const LEVELS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The tokens that a level stands for where a model takes only a number, as Google's compatible API converts them. */
const BUDGETS: readonly (readonly [effort: string, budget: number])[] = [
  ['minimal', 1024],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 32_768],
  ['max', 32_768],
];

/** The level at which a model that is told to reason does so by itself. */
const USUAL = 'high';

/** The amount of reasoning in the way that a model takes it: a level becomes a number of tokens, or the other way round. */
export function fitReasoning(
  wanted: Reasoning | undefined,
  scale: ReasoningLevels | undefined,
  losses: LossNote[],
): Reasoning | undefined {
  if (!wanted) return undefined;
  const { efforts = [], takesBudget = false } = scale ?? {};
  const given = readAmount(wanted);
  const note = (kind: 'rewritten' | 'dropped', detail?: string): void => {
    losses.push({ kind, path: 'params.reasoning', reason: 'parameter', ...(detail !== undefined && { detail }) });
  };
  if (given.budget !== undefined && takesBudget) return { budget: given.budget };
  const effort = given.effort ?? toEffort(given.budget!);
  const nearest = nearestEffort(effort, efforts);
  if (nearest !== undefined) {
    if (nearest !== wanted.effort) note('rewritten', `${given.budget ?? effort} -> ${nearest}`);
    return { effort: nearest };
  }
  if (!takesBudget) {
    note('dropped');
    return undefined;
  }
  const budget = effort === 'none' ? 0 : toBudget(effort);
  note('rewritten', `${effort} -> ${budget} tokens`);
  return { budget };
}

/** A number of tokens that switches reasoning off or leaves it to the model is a level. */
function readAmount({ effort, budget }: Reasoning): Reasoning {
  if (budget === 0) return { effort: 'none' };
  if (budget !== undefined && budget > 0) return { budget, ...(effort !== undefined && { effort }) };
  return { effort: effort ?? USUAL };
}

function toBudget(effort: string): number {
  return BUDGETS.find(([level]) => level === effort)?.[1] ?? BUDGETS.at(-1)![1];
}

function toEffort(budget: number): string {
  if (budget <= 2048) return 'low';
  return budget <= 16_384 ? 'medium' : 'high';
}

/** The level itself, the next one below, or the lowest. A model that cannot be switched off reasons as little as it can. */
function nearestEffort(effort: string, efforts: readonly string[]): string | undefined {
  if (efforts.includes(effort)) return effort;
  const levels = efforts.filter((one) => one !== 'none');
  if (levels.length === 0) return undefined;
  const place = LEVELS.indexOf(effort);
  // A level that is newer than this list may be known to the model.
  if (place < 0) return effort;
  return levels.findLast((one) => LEVELS.indexOf(one) <= place) ?? levels[0];
}
