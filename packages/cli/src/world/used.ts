import type { Forest } from '@skein/forest';
import { createTally, NO_USAGE, type Tally } from '../output/usage-text.ts';

export interface Used {
  readonly replies: number;
  readonly usage: NonNullable<Tally['usage']>;
  /** Undefined when the price of any reply is not known. */
  readonly cost: Tally['cost'];
}

/** What one generation took. Equal replies share a node, so there may be takes of others on the way. */
export async function usedBy(forest: Forest, generation: string, asked: string, head: string): Promise<Used> {
  const path = head === asked ? [] : await forest.path(head, asked);
  const replies = path.flatMap(({ takes }) => takes.filter((take) => take.generation === generation && take.usage));
  const tally = createTally();
  for (const { usage, cost } of replies) tally.add(usage, cost);
  return { replies: replies.length, usage: tally.usage ?? NO_USAGE, cost: tally.cost };
}
