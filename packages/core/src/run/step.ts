import type { Usage } from '../dialects/index.ts';
import type { Asked } from './ask.ts';
import { estimateInput } from './tokens.ts';
import type { RunOptions, Step } from './types.ts';
import { estimateUsage } from './usage.ts';

/** What came of a request as a step; undefined when nothing arrived. `onUnknown` is told why there is no price. */
export function stepOf(
  asked: Asked,
  { system, costOf }: RunOptions,
  onUnknown: (reason: string) => void,
): Step | undefined {
  const { reply, written, messages, target, failure, requestId, startedAt, durationMs, firstEventMs } = asked;
  if (!reply) return undefined;
  const { message } = reply;
  const estimated = failure !== undefined && message.origin.cut === true;
  const usage = estimated ? estimateUsage(message, reply.usage, () => estimateInput(messages, system)) : reply.usage;
  return {
    provider: target.provider.id,
    model: target.model,
    manifest: written.manifest,
    losses: written.losses,
    ...reply,
    ...{ usage, estimated, cost: usage && costOf && price(usage) },
    ...{ requestId, startedAt, durationMs, firstEventMs },
  };

  function price(spent: Usage): number | undefined {
    const { total, reason } = costOf!(spent, target.provider.id, target.model, new Date(startedAt));
    if (total === undefined) onUnknown(reason ?? 'no price is listed');
    return total;
  }
}
