import type { Usage } from '../dialects/index.ts';
import type { Limits } from './types.ts';
import { totalTokens } from './usage.ts';

const STEPS = 10;

export interface Spent {
  readonly steps: number;
  readonly usage: Usage | undefined;
  /** What is known of it. */
  readonly cost: number;
  readonly ms: number;
}

/** The limit that forbids another request, if any. */
export function reachedLimit(limits: Limits, spent: Spent): 'steps' | 'tokens' | 'cost' | 'time' | undefined {
  const { steps = STEPS, tokens = Infinity, cost = Infinity, seconds = Infinity } = limits;
  if (spent.steps >= steps) return 'steps';
  if (totalTokens(spent.usage) >= tokens) return 'tokens';
  if (spent.cost >= cost) return 'cost';
  return spent.ms >= seconds * 1000 ? 'time' : undefined;
}
