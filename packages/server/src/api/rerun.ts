import { createRoute, z } from '@hono/zod-openapi';
import { createJudge, type RerunAnswer, rerunThreads, spellAnswer } from '@skein/forest';
import { sseResponse } from '../http/sse.ts';
import { apiRouter, given, jsonBody, streams } from './router.ts';
import { ThreadId } from './schemas/forest.ts';

const ModelName = z.string().min(1).max(300);

const Answer = z
  .object({
    thread: z.string(),
    model: z.string(),
    status: z.string().openapi({ description: '`done`, or why there is no answer' }),
    node: z.string().optional(),
    original: z.string(),
    isKept: z.boolean().openapi({ description: 'It was there already, from an earlier run' }),
    cost: z.number().optional(),
    durationMs: z.number().optional(),
    characters: z.number(),
    toolCalls: z.number(),
    differs: z.boolean(),
    difference: z
      .object({ at: z.number(), original: z.string(), answer: z.string() })
      .optional()
      .openapi({ description: 'The first place where answer and original say or call something else' }),
    rating: z.number().optional(),
    error: z.string().optional(),
    text: z.string().openapi({ description: 'The beginning of what it says and calls' }),
    originalText: z.string(),
  })
  .openapi('RerunAnswer');

const rerunRoute = createRoute({
  method: 'post',
  path: '/rerun',
  tags: ['generations'],
  summary:
    'Asks the last question of conversations again, of other models; each answer becomes a branch and is an event as it arrives. Leaving stops it; the same request goes on',
  request: {
    body: jsonBody(
      z
        .object({
          threads: z.array(ThreadId).min(1).max(100),
          models: z.array(ModelName).min(1).max(10),
          n: z.number().int().min(1).max(10).optional().openapi({ description: 'Answers of each model' }),
          maxCost: z.number().positive().optional().openapi({ description: 'US dollars' }),
          judge: ModelName.optional().openapi({ description: 'A model that rates answers from -5 to 5, as people do' }),
          rubric: z.string().max(5000).optional(),
        })
        .strict(),
    ),
  },
  responses: streams('text/event-stream', '`answer` for each answer, then `done`', Answer),
});

/** How much of an answer an event has. */
const MOST_TEXT = 4000;

export const rerunRoutes = apiRouter().openapi(rerunRoute, async (c) => {
  const { engine, env, forest, generating, redact, costOf } = c.var.services;
  const { threads, models: names, n, maxCost, judge, rubric } = c.req.valid('json');
  // What is wrong must be known before the stream begins.
  for (const id of threads) await forest.threads.get(id);
  const resolve = async (model: string) => (await generating.options({ model })).model;
  const models = await Promise.all(names.map(resolve));
  const rate =
    judge === undefined ? undefined : createJudge({ model: await resolve(judge), env, ...given({ rubric, costOf }) });
  return sseResponse(c, async function* (signal) {
    const options = { threads, models, signal, ...given({ n, maxCost }), ...(rate && { judge: rate }) };
    for await (const answer of rerunThreads(forest, engine, options))
      yield { event: 'answer', data: redact(await view(answer)) };
    yield { event: 'done', data: {} };
  }) as never;

  async function view(answer: RerunAnswer): Promise<z.infer<typeof Answer>> {
    const readText = async (id: string | undefined) =>
      id === undefined ? '' : spellAnswer((await forest.node(id)).message).slice(0, MOST_TEXT);
    const { passed: _unchecked, ...shown } = answer;
    return { ...shown, text: await readText(answer.node), originalText: await readText(answer.original) };
  }
});
