import type { Usage } from '../dialects/index.ts';
import type { Message } from '../message/index.ts';
import { estimateMessage } from './tokens.ts';

type Buckets = Omit<Usage, 'native'>;

const NOTHING: Buckets = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
const NAMES = Object.keys(NOTHING) as (keyof Buckets)[];

/** All of them together, bucket by bucket; their own texts stand in `native` as a list. */
export function sumUsage(all: readonly Usage[]): Usage | undefined {
  if (all.length === 0) return undefined;
  const sums = NAMES.map((name) => [name, all.reduce((sum, usage) => sum + usage[name], 0)]);
  return {
    ...(Object.fromEntries(sums) as unknown as Buckets),
    native: `[${all.map(({ native }) => native).join(',')}]`,
  };
}

/** Two such sums as one. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other;
  const native = `${one.native.slice(0, -1)},${other.native.slice(1)}`;
  return { ...sumUsage([one, other])!, native };
}

export function totalTokens(usage: Usage | undefined): number {
  return usage ? NAMES.reduce((sum, name) => sum + usage[name], 0) : 0;
}

/** The usage of a reply that was cut: what it said of its input, and its output by the length of what arrived. */
export function estimateUsage(message: Message, told: Usage | undefined, inputTokens: () => number): Usage {
  const said = told && totalTokens(told) > 0 ? told : undefined;
  const base = said ?? { ...NOTHING, input: inputTokens(), native: 'null' };
  const written = Math.max(estimateMessage(message), base.output + base.reasoning);
  return { ...base, output: written - base.reasoning };
}
