import { estimateTokens } from '../tokens.ts';
import { leadingSystem } from './checkpoint.ts';
import type { Budget, CompactionInput } from './types.ts';

export function tokensOf(budget: Budget, { limits }: CompactionInput): number {
  if (typeof budget === 'number') return budget;
  if (limits.contextTokens !== undefined) return limits.contextTokens * budget.share;
  throw new Error(`the size of the model's context is not known: give the budget in tokens, or "modelLimits"`);
}

/** The first of the cuts that leaves no more than so many tokens, or else the last one, which leaves the least. */
export function cutFor(tokens: number, cuts: readonly number[], input: CompactionInput): number {
  const { stored, checkpoint } = input;
  const last = cuts.at(-1);
  if (last === undefined) throw new Error('what is sent is a single turn, which cannot be cut');
  let at = checkpoint?.upTo ?? leadingSystem(stored);
  let left = input.tokens;
  for (const cut of cuts) {
    left -= estimateTokens(stored.slice(at, cut));
    at = cut;
    if (left <= tokens) return cut;
  }
  return last;
}
