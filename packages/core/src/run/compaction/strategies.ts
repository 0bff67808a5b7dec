import { cutFor, tokensOf } from './budget.ts';
import type { Budget, Compaction } from './types.ts';

/**
 * Sends the last `turns` turns only, once there are more than `above` (default: twice as many). Between two cuts,
 * requests extend each other: the further `above` is from `turns`, the fewer cuts.
 */
export function keepLast(turns: number, options: { readonly above?: number } = {}): Compaction {
  const { above = turns * 2 } = options;
  if (!(Number.isInteger(turns) && turns >= 1 && above >= turns))
    throw new TypeError(
      `keepLast takes a whole number of turns from 1, and "above" no smaller, not ${turns}, ${above}`,
    );
  return ({ cuts, checkpoint }) =>
    cuts.length + 1 > above ? { upTo: cuts.at(-turns)!, replacement: checkpoint?.replacement ?? [] } : undefined;
}

/** Leaves out the oldest turns once more than the budget is sent, until no more than `keep` of it (default: half) is left. */
export function withinTokens(budget: Budget, options: { readonly keep?: number } = {}): Compaction {
  const { keep = 0.5 } = options;
  return (input) => {
    const most = tokensOf(budget, input);
    if (input.tokens <= most) return undefined;
    return { upTo: cutFor(most * keep, input.cuts, input), replacement: input.checkpoint?.replacement ?? [] };
  };
}

/** The first of them that applies. One that fails is passed over, and told of. */
export function firstOf(...strategies: readonly Compaction[]): Compaction {
  return async (input) => {
    const reasons: unknown[] = [];
    for (const strategy of strategies) {
      try {
        const compacted = await strategy(input);
        if (!compacted) continue;
        if (reasons.length > 0) input.failed(reasons[0]);
        return compacted;
      } catch (reason) {
        reasons.push(reason);
      }
    }
    if (reasons.length > 0) throw reasons[0];
    return undefined;
  };
}
