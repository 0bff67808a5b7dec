import type { Loss } from '@skein/core';
import type { LossNote } from '@skein/core/dialect';
import type { UpstreamAnswer } from './exchange.ts';

/** The headers of an answer that say what the gateway did: which model answered, what was lost, who did not answer. */
export function skeinHeaders(
  { target, losses, skipped, rateLimits }: UpstreamAnswer,
  exchange: string,
): Record<string, string> {
  // What was added, such as cache markers, is told in the recording.
  const lost = losses.filter(({ kind }) => kind !== 'synthesised');
  return {
    ...rateLimits,
    'x-skein-exchange': exchange,
    'x-skein-model': `${target.provider.id}/${target.model}`,
    ...(lost.length > 0 && { 'x-skein-losses': summarizeLosses(lost) }),
    ...(skipped.length > 0 && {
      'x-skein-fallback': skipped
        .map((one) => `${one.target.provider.id}/${one.target.model} ${one.reason}`)
        .join(', '),
    }),
  };
}

/** How many things were lost, and why: `3; parameter=2, prefix-bound=1`. */
function summarizeLosses(losses: readonly (Loss | LossNote)[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of losses) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return `${losses.length}; ${[...counts].map(([reason, count]) => `${reason}=${count}`).join(', ')}`;
}
