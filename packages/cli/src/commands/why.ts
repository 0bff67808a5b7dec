import { costOf } from '@skein/core/prices';
import {
  CACHE_SCENARIOS,
  type CacheDiagnosis,
  type CacheScenario,
  type CacheScope,
  type CacheTotal,
  type CacheTotals,
  cacheScenario,
  causePlace,
  createCacheTotals,
  describeDiagnosis,
  diagnoseCaching,
  type Forest,
  readRecorded,
  simulateCaching,
  type TrafficSource,
} from '@skein/forest';
import { type CommandContext, withForest, withTraffic } from '../context/command-context.ts';
import { locate } from '../context/locate.ts';
import {
  colors,
  counted,
  formatTime,
  note,
  oneLine,
  progressLine,
  say,
  sayJson,
  toPrintable,
  UsageError,
} from '../output/output.ts';
import type { ForestFlags } from './forest-command.ts';

interface WhyOptions extends ForestFlags {
  readonly since?: number;
  readonly until?: number;
  readonly tag?: string;
  readonly by?: keyof typeof GROUPS;
  readonly simulate?: readonly string[];
  readonly failUnder?: number;
}

const GROUPS = { cause: 'byCause', model: 'byModel', app: 'byApp', tag: 'byTag', day: 'byDay' } as const;

/** `skein why`: explains what the provider's prompt cache did for recorded requests, and what it cost. */
export async function explainCaching(what: string, options: WhyOptions): Promise<void> {
  const { store, project } = options;
  const flags = { ...(store !== undefined && { store }), ...(project !== undefined && { project }) };
  const scenarios = (options.simulate ?? []).map(readScenario);
  if (what === 'all')
    await withTraffic(flags, ({ traffic, redact }) =>
      explain(traffic, readPeriod(options), scenarios, options, redact),
    );
  else
    await withForest(flags, async ({ forest, redact }) => {
      const scope = { ...readPeriod(options), ...(await findScope(forest, what)) };
      await explain(forest, scope, scenarios, options, redact, true);
    });
}

function readPeriod({ since, until, tag }: WhyOptions): CacheScope {
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(tag !== undefined && { tag }),
    costOf,
  };
}

/** Explains the requests of a scope; with `isList`, each of them. */
async function explain(
  source: TrafficSource,
  scope: CacheScope,
  scenarios: readonly CacheScenario[],
  { json, by, failUnder }: WhyOptions,
  redact: CommandContext['redact'],
  isList = false,
): Promise<void> {
  const builder = createCacheTotals();
  const shown: CacheDiagnosis[] = [];
  const progress = progressLine();
  let count = 0;
  for await (const diagnosis of diagnoseCaching(source, scope)) {
    builder.add(diagnosis);
    if (isList) shown.push(diagnosis);
    if (++count % 1000 === 0) progress.tell(`${count} requests read`);
  }
  progress.end();
  const totals = builder.totals();
  const results =
    scenarios.length === 0 ? [] : await simulateCaching(source, [CACHE_SCENARIOS.recorded!, ...scenarios], scope);
  if (json)
    sayJson(
      redact({
        ...toJson(totals),
        ...(isList && { requests: shown }),
        ...(results.length > 0 && { simulated: results }),
      }),
    );
  else if (count === 0) note('No recorded request is here. "skein record -- program" records what a program asks.');
  else {
    for (const diagnosis of shown) sayDiagnosis(diagnosis, redact);
    sayTotals(totals, by, redact);
    for (const { scenario, read, written, cost } of results)
      say(`${scenario.padEnd(46)} ${number(read)} read, ${number(written)} written, ${money(cost)}`);
  }
  if (failUnder !== undefined && totals.hitRate * 100 < failUnder) {
    note(
      `${percent(totals.hitRate)} of the tokens that could have been read were read; --fail-under asks for ${failUnder} %.`,
    );
    process.exitCode = 1;
  }
}

function readScenario(text: string): CacheScenario {
  const known = cacheScenario(text);
  if (known) return known;
  throw new UsageError(
    `"${text}" cannot be simulated. Use ${Object.keys(CACHE_SCENARIOS).join(', ')}, or a model such as anthropic/claude-opus-5-5.`,
  );
}

async function findScope(forest: Forest, what: string): Promise<Pick<CacheScope, 'thread' | 'exchange' | 'since'>> {
  if (what === 'all') return {};
  const recorded = await readRecorded(forest, what);
  if (recorded) return { exchange: what, since: recorded.exchange.start };
  const { thread } = await locate(forest, what);
  if (!thread) throw new UsageError(`"${what}" is a node. Give a thread, the id of a recorded exchange, or "all".`);
  return { thread: thread.id };
}

function sayDiagnosis(diagnosis: CacheDiagnosis, redact: CommandContext['redact']): void {
  const { start, provider, model, tokens, cost, cause } = diagnosis;
  const mark = cause === 'hit' ? colors.green('hit ') : tokens.missed > 0 ? colors.red('miss') : colors.dim('  – ');
  const missed = tokens.missed > 0 ? `, ${tokens.isEstimate ? 'about ' : ''}${number(tokens.missed)} missed` : '';
  const price = cost && tokens.missed > 0 ? ` (${money(cost.missed)})` : '';
  say(
    `${mark} ${formatTime(start)}  ${toPrintable(`${provider}/${model}`)}  ${number(tokens.prompt)} tokens, ${number(tokens.read)} read, ${number(tokens.written)} written${missed}${price}`,
  );
  say(`     ${colors.dim(oneLine(redact(describeDiagnosis(diagnosis)), 240))}`);
}

function sayTotals(totals: CacheTotals, by: WhyOptions['by'], redact: CommandContext['redact']): void {
  const { all, worst, hitRate, uncertain } = totals;
  say();
  say(
    `${counted(all.requests, 'request')}: ${number(all.prompt)} tokens, ${number(all.read)} read, ${number(all.written)} written, ${number(all.missed)} missed`,
  );
  say(
    `${percent(hitRate)} of what could be read was read. Caching saved ${money(all.saved)}; misses cost ${money(all.missedCost)} of ${money(all.paid)}.`,
  );
  if (uncertain > 0)
    say(
      `${counted(uncertain, 'request')} may have been compared with another conversation or none: what was sent before was no longer remembered.`,
    );
  if (by !== undefined)
    for (const [name, total] of sorted(totals[GROUPS[by]]))
      say(
        `${toPrintable(redact(name)).padEnd(32)} ${counted(total.requests, 'request')}, ${number(total.read)} read, ${number(total.missed)} missed (${money(total.missedCost)})`,
      );
  if (worst.length === 0) return;
  say();
  say('What cost most:');
  for (const { cause, app, total, example } of worst) {
    const place = causePlace(example);
    const where = place === '' ? '' : ` at ${place}`;
    say(
      `${money(total.missedCost).padStart(10)}  ${counted(total.requests, 'request')} of ${toPrintable(app)}: ${cause}${toPrintable(redact(where))}`,
    );
    say(`            ${colors.dim(oneLine(redact(describeDiagnosis(example)), 200))}`);
  }
}

function sorted(map: ReadonlyMap<string, CacheTotal>): [string, CacheTotal][] {
  return [...map].sort(([, a], [, b]) => b.missed - a.missed || b.requests - a.requests);
}

/** JSON has no maps, and says `null` where a cost is not known. */
function toJson({ all, hitRate, uncertain, worst, ...maps }: CacheTotals) {
  const total = (one: CacheTotal) => ({
    ...one,
    paid: one.paid ?? null,
    missedCost: one.missedCost ?? null,
    saved: one.saved ?? null,
  });
  const entries = Object.entries(maps).map(([name, map]) => [
    name,
    Object.fromEntries([...map].map(([key, one]) => [key, total(one)])),
  ]);
  return {
    all: total(all),
    hitRate,
    uncertain,
    ...Object.fromEntries(entries),
    worst: worst.map((one) => ({ ...one, total: total(one.total) })),
  };
}

function number(count: number): string {
  return count.toLocaleString('en');
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

function money(dollars: number | undefined): string {
  if (dollars === undefined) return 'price not known';
  return `${dollars < 0 ? '-' : ''}$${Math.abs(dollars).toFixed(4)}`;
}
