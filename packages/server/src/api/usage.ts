import { createRoute, z } from '@hono/zod-openapi';
import { readDailyUsage } from '../daily-usage.ts';
import { readTokenSpending } from '../spending.ts';
import { answers, apiRouter } from './router.ts';

const DAY_MS = 86_400_000;
/** The longest time that is added up at once. */
const MOST_DAYS = 400;

const daily = createRoute({
  method: 'get',
  path: '/usage/days',
  tags: ['forest'],
  summary: 'What replies used and cost, by day and by model, program or tag',
  request: {
    query: z.object({
      by: z.enum(['model', 'app', 'tag']),
      since: z.coerce.number(),
      until: z.coerce.number().optional(),
      zone: z.coerce
        .number()
        .int()
        .min(-840)
        .max(840)
        .optional()
        .openapi({ description: 'Minutes that the clock of the reader is ahead of UTC' }),
    }),
  },
  responses: answers(
    z.object({
      items: z.array(
        z.object({
          day: z.string().openapi({ example: '2026-11-17' }),
          name: z.string().openapi({ description: 'Of the model, the program or the tag; empty for none' }),
          replies: z.number(),
          input: z.number().openapi({ description: 'Tokens, those from a cache included' }),
          cached: z.number(),
          output: z.number(),
          cost: z.number().openapi({ description: 'US dollars by list price' }),
          withoutPrice: z.number().openapi({ description: 'Replies whose price is not known' }),
          saved: z.number().openapi({ description: 'What the same requests would have cost more without a cache' }),
        }),
      ),
    }),
  ),
});

const budgets = createRoute({
  method: 'get',
  path: '/budgets',
  tags: ['about'],
  summary: 'The budgets of the tokens of the gateway, and what is spent of them today (UTC)',
  responses: answers(
    z.object({
      items: z.array(
        z.object({
          token: z.string().openapi({ description: 'Its name' }),
          costPerDay: z.number().optional(),
          requestsPerMinute: z.number().optional(),
          spentToday: z.number(),
          requestsToday: z.number(),
        }),
      ),
    }),
  ),
});

export const usageRoutes = apiRouter()
  .openapi(daily, async (c) => {
    const { forest, costOf, redact } = c.var.services;
    const { by, since, until = Date.now() + 1, zone = 0 } = c.req.valid('query');
    const from = Math.max(since, until - MOST_DAYS * DAY_MS);
    const items = await readDailyUsage(forest, { by, since: from, until, zone }, costOf);
    return c.json({ items: redact(items.map((one) => ({ ...one }))) }, 200);
  })
  .openapi(budgets, async (c) => {
    const { forest, config, costOf } = c.var.services;
    const { tokens } = config.gateway;
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const spent = tokens.length === 0 ? new Map() : await readTokenSpending(forest, today, costOf);
    const items = tokens.map(({ name, budget: { costPerDay, requestsPerMinute } }) => ({
      token: name,
      ...(costPerDay !== undefined && { costPerDay }),
      ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      spentToday: spent.get(name)?.cost ?? 0,
      requestsToday: spent.get(name)?.starts.length ?? 0,
    }));
    return c.json({ items }, 200);
  });
