import type { Usage } from '@skein/core';

type Buckets = Omit<Usage, 'native'>;

/** The input tokens, and how many of them came from a cache. */
export function sumInput(usage: Buckets): { input: number; cached: number; rate: number; written: number } {
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  const input = usage.input + usage.cacheRead + written;
  const rate = input === 0 ? 0 : Math.round((100 * usage.cacheRead) / input);
  return { input, cached: usage.cacheRead, rate, written };
}

/** Tokens and cost in one line. */
export function usageLine(usage: Buckets, cost: number | undefined): string {
  const { input, cached, rate } = sumInput(usage);
  return `${input} in, ${cached} cached (${rate} %) · ${usage.output} out · ${priceText(cost)}`;
}

export function priceText(cost: number | undefined): string {
  if (cost === undefined) return 'price not known';
  return cost === 0 ? '$0' : `$${cost.toFixed(6)}`;
}

/** Sums of tokens and cost. */
export interface UsageSum {
  add(usage: Buckets | undefined, cost: number | undefined): void;
  readonly usage: Buckets | undefined;
  /** Undefined when the price of any part is not known. */
  readonly cost: number | undefined;
}

/** The usage of a generation without any reply. */
export const NO_USAGE: Buckets = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };

export function createUsageSum(): UsageSum {
  let usage: Buckets | undefined;
  let cost: number | undefined = 0;
  return {
    add(more, price) {
      if (!more) return;
      usage = sum(usage ?? NO_USAGE, more);
      cost = cost === undefined || price === undefined ? undefined : cost + price;
    },
    get usage() {
      return usage;
    },
    get cost() {
      return cost;
    },
  };
}

function sum(a: Buckets, b: Buckets): Buckets {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}
