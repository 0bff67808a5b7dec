import { createRoute, z } from '@hono/zod-openapi';
import { readSession, type SessionLane, type SessionStep, type ToolAct } from '@skein/forest';
import type { Redactor } from '../redact.ts';
import type { Services } from '../services.ts';
import { toSpending } from '../spending.ts';
import { answers, apiRouter } from './router.ts';
import { Thread, ThreadId, Usage } from './schemas/forest.ts';
import { threadView } from './views.ts';

const Text = z
  .object({ text: z.string(), isCut: z.boolean().openapi({ description: 'The rest is in the message' }) })
  .openapi('CutText');

const TouchedFile = z
  .object({
    path: z.string(),
    changes: z
      .array(z.object({ before: Text, after: Text }))
      .openapi({ description: 'Empty for a file that was read' }),
    whole: z.enum(['written', 'deleted']).optional(),
  })
  .openapi('TouchedFile');

const Act = z
  .object({
    node: z.string(),
    call: z.string(),
    tool: z.string(),
    input: Text,
    at: z.number(),
    files: z.array(TouchedFile),
    command: Text.optional().openapi({ description: 'What was run in a shell' }),
    result: z.object({ node: z.string(), output: Text, isError: z.boolean() }).optional(),
    subagent: z.string().optional().openapi({ description: 'The thread of the subagent that the call started' }),
  })
  .openapi('SessionAct');

const Step = z
  .object({
    node: z.string(),
    prompt: z.string().openapi({ description: 'What the person wrote, without what the program added' }),
    at: z.number(),
    endedAt: z.number(),
    messages: z.number(),
    acts: z.array(Act).openapi({ description: 'The calls of tools' }),
    answer: z
      .object({ node: z.string(), said: Text })
      .optional()
      .openapi({ description: 'The last words of the model' }),
    replies: z.number(),
    models: z.array(z.string()),
    usage: Usage,
    cost: z.number().openapi({ description: 'US dollars, of the replies whose price is known' }),
    withoutPrice: z.number(),
    compacted: z
      .object({ messages: z.number(), replacement: Text })
      .optional()
      .openapi({ description: 'How many messages were replaced, and by what' }),
  })
  .openapi('SessionStep');

const Lane = z.object({ thread: Thread, steps: z.array(Step) }).openapi('SessionLane');

const session = createRoute({
  method: 'get',
  path: '/threads/{thread}/session',
  tags: ['threads'],
  summary: 'Its session step by step: prompts, files with their changes, commands, subagents, tokens and cost',
  request: { params: z.object({ thread: ThreadId }) },
  responses: answers(
    z.object({
      main: Lane,
      subagents: z.array(Lane),
      sideCalls: z.array(Thread).openapi({ description: 'Requests on the side, such as for a title' }),
    }),
  ),
});

export const sessions = apiRouter().openapi(session, async (c) => {
  const { forest, redact, costOf } = c.var.services;
  const { main, subagents, sideCalls } = await readSession(forest, c.req.valid('param').thread);
  const view = createView(redact, costOf);
  const found = { main: view(main), subagents: subagents.map(view), sideCalls: redact(sideCalls.map(threadView)) };
  return c.json(found, 200);
});

const BUCKETS = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output', 'reasoning'] as const;
/** Characters of a text in the overview of a session; the message has all of it. */
const MOST_SHOWN = 8000;

function createView(redact: Redactor, costOf: Services['costOf']) {
  const cut = (whole: string): z.infer<typeof Text> => {
    // Hidden before it is cut: half a secret would not be recognised.
    const text = redact(whole);
    const isCut = text.length > MOST_SHOWN;
    return { text: isCut ? text.slice(0, MOST_SHOWN).replace(/[\ud800-\udbff]$/, '') : text, isCut };
  };
  const act = ({ input, files, command, result, ...rest }: ToolAct): z.infer<typeof Act> => ({
    ...rest,
    input: cut(input),
    files: files.map(({ path, changes, ...file }) => ({
      ...file,
      path: redact(path),
      changes: changes.map(({ before, after }) => ({ before: cut(before), after: cut(after) })),
    })),
    ...(command !== undefined && { command: cut(command) }),
    ...(result && { result: { node: result.node, output: cut(result.text), isError: result.isError } }),
  });
  const step = ({ acts, answer, prompt, replies, compacted, ...rest }: SessionStep): z.infer<typeof Step> => ({
    ...rest,
    prompt: redact(prompt),
    acts: acts.map(act),
    ...(answer && { answer: { node: answer.node, said: cut(answer.text) } }),
    replies: replies.length,
    models: [...new Set(replies.flatMap(({ model }) => model ?? []))],
    ...sumReplies(replies, costOf),
    ...(compacted && { compacted: { messages: compacted.messages, replacement: cut(compacted.replacement) } }),
  });
  return ({ thread, steps }: SessionLane): z.infer<typeof Lane> => ({
    thread: redact(threadView(thread)),
    steps: steps.map(step),
  });
}

function sumReplies(replies: SessionStep['replies'], costOf: Services['costOf']) {
  const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
  let cost = 0;
  let withoutPrice = 0;
  for (const take of replies) {
    if (!take.usage) continue;
    for (const bucket of BUCKETS) usage[bucket] += take.usage[bucket];
    const price = take.cost ?? toSpending(take, take.usage, costOf).cost;
    if (price === undefined) withoutPrice += 1;
    else cost += price;
  }
  return { usage, cost, withoutPrice };
}
