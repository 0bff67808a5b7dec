import type { Forest, UsageScope, UsageTotal } from '@skein/forest';
import { type Command, Option } from 'commander';
import { withForest } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import { counted, say, sayJson, UsageError } from '../output/output.ts';
import { sumInput } from '../output/usage-text.ts';
import { type ForestFlags, jsonCommand, parseInstant } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly below?: boolean;
  readonly since?: number;
  readonly until?: number;
}

export function addUsage(program: Command): void {
  jsonCommand(program, 'usage', 'show the tokens and cost of a conversation, or of everything')
    .argument('[node|thread]', 'the history up to a node, or a thread')
    .addOption(new Option('--below', 'the node with everything below it').conflicts(['since', 'until']))
    .option('--since <day>', 'of everything from then on', parseInstant)
    .option('--until <day>', 'of everything up to then', parseInstant)
    .action(showUsage);
}

async function showUsage(id: string | undefined, { json, below, since, until, ...flags }: Options): Promise<void> {
  if (id !== undefined && (since ?? until) !== undefined)
    throw new UsageError('--since and --until are about everything: leave the id out.');
  if (id === undefined && below) throw new UsageError('--below needs a node.');
  await withForest(flags, async ({ forest }) => {
    const of =
      id === undefined
        ? { since: since ?? 0, ...(until !== undefined && { until }) }
        : await selected(forest, id, below === true);
    const total = await forest.usage(of);
    if (json) sayJson({ of, ...total });
    else for (const line of usageLines(total)) say(line);
  });
}

async function selected(forest: Forest, id: string, below: boolean): Promise<UsageScope> {
  const { node, thread } = await locate(forest, id);
  if (below) return { below: node };
  return thread ? { thread: thread.id } : { path: node };
}

/** Sums for a person. */
function usageLines({ usage, cost, withoutPrice, replies }: UsageTotal): string[] {
  const { input, cached, rate, written } = sumInput(usage);
  return [
    `replies  ${replies}`,
    `input    ${counted(input, 'token')}, of them ${cached} from the cache (${rate} %) and ${written} written to it`,
    `output   ${counted(usage.output, 'token')}, of them ${counted(usage.reasoning, 'thought')}`,
    `cost     ${costText(cost, withoutPrice, replies)}`,
  ];
}

function costText(cost: number, withoutPrice: number, replies: number): string {
  if (withoutPrice > 0 && withoutPrice === replies) return 'not known';
  return `$${cost.toFixed(6)}${withoutPrice > 0 ? `, without ${withoutPrice} whose price is not known` : ''}`;
}
