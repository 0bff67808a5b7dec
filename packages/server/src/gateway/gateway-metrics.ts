import type { Loss, Usage } from '@skein/core';
import type { LossNote } from '@skein/core/dialect';
import type { GatewayUse } from '@skein/forest';
import type { Metrics } from '../http/observability.ts';
import type { UpstreamAnswer } from './request/exchange.ts';

/** What an answer used, cost and lost. */
interface AnswerCount {
  readonly usage: Usage | undefined;
  /** US dollars by list price; undefined where no price is known. */
  readonly cost: number | undefined;
  /** What the reply lost. */
  readonly losses: readonly LossNote[];
}

/** Counts an answer of the gateway for `/metrics`, by the name of the token and by the route. */
export function countAnswer(
  metrics: Metrics,
  { token = '', route = '' }: GatewayUse,
  { losses: sent, skipped }: Pick<UpstreamAnswer, 'losses' | 'skipped'>,
  { usage, cost, losses }: AnswerCount,
): void {
  const labels = { token, route };
  if (usage) {
    const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
    const kinds = { input: input + cacheWrite5m + cacheWrite1h, cached: cacheRead, output: output + reasoning };
    for (const [kind, count] of Object.entries(kinds))
      metrics.count('skein_gateway_tokens_total', { ...labels, kind }, count);
  }
  if (cost !== undefined) metrics.count('skein_gateway_cost_dollars_total', labels, cost);
  // As in the header, what was merely added is no loss.
  const all: readonly (Loss | LossNote)[] = [...sent, ...losses].filter(({ kind }) => kind !== 'synthesised');
  for (const { reason } of all) metrics.count('skein_gateway_losses_total', { reason });
  for (const { target, reason } of skipped)
    metrics.count('skein_gateway_fallbacks_total', { provider: target.provider.id, reason });
}
