import { type Forest, type RouteUsage, readRouteUsage, type UsageScope, type UsageTotal } from '@skein/forest';
import { withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { counted, say, sayJson, toPrintable, UsageError } from '../output/output.ts';
import { priceText, sumInput } from '../output/usage-text.ts';
import type { ForestFlags } from './forest-command.ts';

interface UsageOptions extends ForestFlags {
  readonly below?: boolean;
  readonly since?: number;
  readonly until?: number;
}

export async function showUsage(
  id: string | undefined,
  { json, below, since, until, ...flags }: UsageOptions,
): Promise<void> {
  if (id !== undefined && (since ?? until) !== undefined)
    throw new UsageError('--since and --until are about everything: leave the id out.');
  if (id === undefined && below) throw new UsageError('--below needs a node.');
  await withForest(flags, async ({ forest }) => {
    const of =
      id === undefined
        ? { since: since ?? 0, ...(until !== undefined && { until }) }
        : await selected(forest, id, below === true);
    // The price list is large, and most commands do not need it.
    const { costOf } = await import('@skein/core/prices');
    const total = await forest.usage(of, { costOf });
    const routes = 'since' in of ? await readRouteUsage(forest, of) : [];
    if (json) sayJson({ of, ...total, ...('since' in of && { routes }) });
    else for (const line of [...usageLines(total), ...routes.map(routeLine)]) say(line);
  });
}

/** What went one way through the gateway, and how much of it came from the provider's cache. */
function routeLine({ route, provider, model, replies, usage }: RouteUsage): string {
  const { input, cached, rate } = sumInput(usage);
  return toPrintable(
    `route    ${route} → ${provider}/${model}: ${counted(replies, 'reply', 'replies')}, ${input} in, ${cached} from the cache (${rate} %), ${usage.output} out`,
  );
}

async function selected(forest: Forest, id: string, below: boolean): Promise<UsageScope> {
  const { node, thread } = await locate(forest, id);
  if (below) return { below: node };
  return thread ? { thread: thread.id } : { path: node };
}

/** The sums as lines for a person. */
function usageLines(total: UsageTotal): string[] {
  const { usage, replies } = total;
  const { input, cached, rate, written } = sumInput(usage);
  return [
    `replies  ${replies}`,
    `input    ${counted(input, 'token')}, of them ${cached} from the cache (${rate} %) and ${written} written to it`,
    `output   ${counted(usage.output, 'token')}, of them ${usage.reasoning} for reasoning`,
    `cost     ${costText(total)}`,
  ];
}

function costText({ cost, withoutPrice }: UsageTotal): string {
  if (cost === null) return 'not known';
  return `${priceText(cost)}${withoutPrice > 0 ? `, without ${withoutPrice} whose price is not known` : ''}`;
}
