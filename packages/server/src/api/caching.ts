import { createRoute, z } from '@hono/zod-openapi';
import {
  CACHE_SCENARIOS,
  type CacheDiagnosis,
  type CacheTotal,
  cacheScenario,
  causePlace,
  createCacheTotals,
  describeDiagnosis,
  diagnoseCaching,
  simulateCaching,
} from '@skein/forest';
import { Problem } from '../http/problem.ts';
import { answers, apiRouter, given, jsonBody } from './router.ts';
import { ThreadId } from './schemas/forest.ts';

const DAY_MS = 86_400_000;

const Dollars = z.number().nullable().openapi({ description: 'US dollars; null if a price is not known' });

const Total = z
  .object({
    requests: z.number(),
    prompt: z.number().openapi({ description: 'Tokens' }),
    read: z.number().openapi({ description: 'Tokens that came from the cache' }),
    written: z.number(),
    missed: z.number().openapi({ description: 'Tokens that could have come from the cache, and did not' }),
    paid: Dollars,
    missedCost: Dollars,
    saved: Dollars,
  })
  .openapi('CacheTotal');

const NamedTotal = Total.extend({ name: z.string() });

const Turn = z
  .object({
    exchange: z.string(),
    node: z.string().optional().openapi({ description: 'The reply' }),
    thread: z.string().optional(),
    start: z.number(),
    provider: z.string(),
    model: z.string(),
    app: z.string(),
    cause: z.string().openapi({ example: 'volatile' }),
    place: z.string().openapi({ description: 'Where the requests part; empty without a place', example: 'tools[3]' }),
    sentence: z.string().openapi({ description: 'What the cache did, and why' }),
    prompt: z.number(),
    read: z.number(),
    written: z.number(),
    missed: z.number(),
    isEstimate: z.boolean(),
    missedCost: Dollars,
  })
  .openapi('CacheTurn');

const why = createRoute({
  method: 'get',
  path: '/caching',
  tags: ['recordings'],
  summary:
    "What providers' prompt caches did for recorded requests, why, and what it cost; of one thread, turn by turn",
  request: {
    query: z.object({
      thread: ThreadId.optional(),
      tag: z.string().max(200).optional(),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
    }),
  },
  responses: answers(
    z.object({
      all: Total,
      hitRate: z.number().openapi({ description: 'The share of the tokens that could be read which were read' }),
      uncertain: z.number().openapi({
        description: 'Requests before which too many others were sent to remember what could have served them',
      }),
      models: z.array(NamedTotal),
      apps: z.array(NamedTotal),
      tags: z.array(NamedTotal),
      days: z.array(NamedTotal),
      causes: z
        .array(z.object({ cause: z.string(), app: z.string(), place: z.string(), total: Total, example: Turn }))
        .openapi({ description: 'The five that cost most' }),
      turns: z.array(Turn).optional().openapi({ description: 'With `thread`: its requests, oldest first' }),
    }),
  ),
});

const simulate = createRoute({
  method: 'post',
  path: '/caching/simulate',
  tags: ['recordings'],
  summary:
    'What recorded requests would have used and cost with other markers, another order of tools, another lifetime or model',
  request: {
    body: jsonBody(
      z
        .object({
          scenarios: z
            .array(z.string().min(1).max(300))
            .min(1)
            .max(10)
            .openapi({
              description: `${Object.keys(CACHE_SCENARIOS).join(', ')}, or a model as provider/model`,
              example: ['sort-tools', '1h'],
            }),
          thread: ThreadId.optional(),
          tag: z.string().max(200).optional(),
          since: z.number().optional(),
          until: z.number().optional(),
        })
        .strict(),
    ),
  },
  responses: answers(
    z.object({
      items: z
        .array(
          z
            .object({
              id: z.string().openapi({ example: 'sort-tools' }),
              scenario: z.string().openapi({ description: 'The same in words' }),
              requests: z.number(),
              prompt: z.number(),
              read: z.number(),
              written: z.number(),
              cost: Dollars,
            })
            .openapi('CacheSimulation'),
        )
        .openapi({
          description: 'First `recorded`, which the others are compared with, then those that were asked for',
        }),
    }),
  ),
});

export const caching = apiRouter()
  .openapi(why, async (c) => {
    const { forest, costOf, redact } = c.var.services;
    const { thread, ...period } = c.req.valid('query');
    const scope = thread === undefined ? {} : { thread, since: await threadStart(thread) };
    const builder = createCacheTotals();
    const turns: CacheDiagnosis[] = [];
    for await (const diagnosis of diagnoseCaching(forest, { ...scope, ...given(period), ...(costOf && { costOf }) })) {
      builder.add(diagnosis);
      if (thread !== undefined) turns.push(diagnosis);
    }
    const { all, hitRate, uncertain, byModel, byApp, byTag, byDay, worst } = builder.totals();
    const causes = worst.map(({ cause, app, place, total, example }) => ({
      ...{ cause, app, place, total: totalView(total), example: turnView(example) },
    }));
    return c.json(
      redact({
        ...{ all: totalView(all), hitRate, uncertain, causes },
        ...{ models: named(byModel), apps: named(byApp), tags: named(byTag), days: named(byDay) },
        ...(thread !== undefined && { turns: turns.map(turnView) }),
      }),
      200,
    );

    /** Requests before the conversation cannot be of it. Its own may be a little older than its record. */
    async function threadStart(id: string): Promise<number> {
      return Math.max(0, (await forest.threads.get(id)).createdAt - DAY_MS);
    }
  })
  .openapi(simulate, async (c) => {
    const { forest, costOf } = c.var.services;
    const { scenarios: asked, thread, ...period } = c.req.valid('json');
    const ids = [...new Set(['recorded', ...asked])];
    const scenarios = ids.map((id) => {
      const scenario = cacheScenario(id);
      if (scenario) return scenario;
      const known = Object.keys(CACHE_SCENARIOS).join(', ');
      throw new Problem('bad_request', `"${id}" cannot be simulated: use ${known}, or a model as provider/model.`);
    });
    if (thread !== undefined) await forest.threads.get(thread);
    const scope = given({ thread, ...period, costOf });
    const results = await simulateCaching(forest, scenarios, scope);
    const items = results.map(({ cost, ...result }, at) => ({ id: ids[at]!, ...result, cost: cost ?? null }));
    return c.json({ items }, 200);
  });

function totalView({ paid, missedCost, saved, ...total }: CacheTotal): z.infer<typeof Total> {
  return { ...total, paid: paid ?? null, missedCost: missedCost ?? null, saved: saved ?? null };
}

function named(totals: ReadonlyMap<string, CacheTotal>): z.infer<typeof NamedTotal>[] {
  return [...totals].map(([name, total]) => ({ name, ...totalView(total) }));
}

function turnView(diagnosis: CacheDiagnosis): z.infer<typeof Turn> {
  const { exchange, node, thread, start, provider, model, app, cause, tokens, cost } = diagnosis;
  return {
    ...{ exchange, start, provider, model, app, cause, ...given({ node, thread }) },
    ...{ place: causePlace(diagnosis), sentence: describeDiagnosis(diagnosis), ...tokens },
    missedCost: cost?.missed ?? null,
  };
}
