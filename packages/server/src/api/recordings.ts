import { createRoute, z } from '@hono/zod-openapi';
import { dialect, type Message } from '@skein/core';
import {
  type Forest,
  type ListedExchange,
  listExchanges,
  oldestShown,
  readableNodes,
  readRecorded,
  type StatusClass,
  type UpstreamSide,
} from '@skein/forest';
import { Problem } from '../http/problem.ts';
import type { Redactor } from '../redact.ts';
import { readSpending, type Spending } from '../spending.ts';
import { summarize } from './glance.ts';
import { answers, apiRouter, given } from './router.ts';
import { PageQuery, pageSchema, Stop, Usage } from './schemas/forest.ts';
import { DescribedLoss } from './schemas/generation.ts';
import { lossView, usageView } from './views.ts';

const ExchangeId = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/);

const Headers = z.record(z.string(), z.string()).openapi({ description: 'Without credentials' });

const Hashes = z.record(z.string(), z.string()).readonly();

const Hints = z
  .object({
    person: Hashes.optional(),
    session: Hashes.optional(),
    group: z.string().optional(),
    agent: z.string().optional(),
    isSubagent: z.literal(true).optional(),
    name: z.string().optional(),
  })
  .openapi({ description: 'Who speaks and in which session, as hashes' });

const Placement = z
  .object({
    rules: z.number().optional().openapi({ description: 'The version of the rules it was placed by' }),
    state: z.enum(['landed', 'waiting', 'nothing']),
    why: z.string().optional(),
    thread: z.string().optional(),
    parent: z.string().optional().openapi({ description: 'The last message of its history' }),
    node: z.string().optional().openapi({ description: 'The reply' }),
    alternatives: z.array(z.string()).readonly().optional(),
    added: z.array(z.string()).readonly().optional(),
    by: z.enum(['exact', 'echo']).optional(),
    found: z
      .enum(['named', 'retry', 'proof', 'words', 'compacted', 'new'])
      .optional()
      .openapi({ description: 'Why it is in that thread' }),
    compacted: z
      .object({ messages: z.number(), sentInstead: z.number() })
      .optional()
      .openapi({ description: 'The client left out messages at the front, or sent others instead' }),
    unrecorded: z
      .string()
      .optional()
      .openapi({ description: 'The response that it goes on from and that was not recorded' }),
    matched: z.number().optional(),
    otherSystem: z.boolean().optional(),
    way: z.enum(['starts', 'continues', 'branches']).optional(),
    stop: Stop.optional(),
  })
  .openapi('Placement');

const Upstream = z
  .object({
    provider: z.string(),
    dialect: z.string(),
    model: z.string(),
    host: z.string(),
    path: z.string(),
    status: z.number().optional(),
    attempt: z.number().openapi({ description: 'Which attempt this is: earlier ones did not answer' }),
    losses: z.array(DescribedLoss).openapi({ description: 'What was lost between the client and the provider' }),
    restored: z
      .array(z.object({ message: z.number(), exchange: z.string() }))
      .openapi({ description: 'Messages of the request that went out as the replies of earlier exchanges' }),
    calls: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: 'Names and ids of calls as the client has them, and as the provider has them' }),
  })
  .openapi('Upstream', { description: "The provider's side of an exchange that the gateway translated" });

const GatewayUse = z
  .object({
    token: z.string().optional().openapi({ description: "The name of the client's token" }),
    route: z.string().optional().openapi({ description: 'The pattern of the route, or provider/*' }),
  })
  .openapi('GatewayUse');

const Recording = z
  .object({
    id: z.string(),
    start: z.number(),
    firstByte: z.number().optional(),
    end: z.number().optional(),
    method: z.string(),
    host: z.string(),
    path: z.string(),
    query: z.string(),
    kind: z.enum(['generate', 'poll', 'other']),
    provider: z.string().optional(),
    dialect: z.string().optional(),
    issuer: z.string().optional(),
    model: z.string().optional(),
    requestHeaders: Headers,
    requestSha256: z.string().optional(),
    replayKey: z.string().optional(),
    requestBytes: z.number().optional(),
    status: z.number().optional(),
    responseHeaders: Headers.optional(),
    responseId: z.string().optional(),
    responseBytes: z.number().optional(),
    outcome: z.enum(['open', 'done', 'cut', 'refused', 'failed']),
    error: z.string().optional().openapi({ description: 'Why there is no answer, or an incomplete one' }),
    truncated: z.boolean().optional().openapi({ description: 'Bytes of it were not kept' }),
    redacted: z.boolean().optional().openapi({ description: 'A key stood in a body and was taken out before storing' }),
    tags: z.array(z.string()).readonly(),
    thread: z.string().optional().openapi({ description: 'The name that the client gave the conversation' }),
    hints: Hints.optional(),
    notes: z.array(z.string()).readonly().optional().openapi({ description: 'Problems with the x-skein headers' }),
    writer: z.string(),
    usage: Usage.optional(),
    cost: z.number().optional().openapi({ description: 'US dollars by list price, where one is known' }),
    prompt: z.string().optional().openapi({ description: 'The last message of the request, in a few words' }),
    session: z.string().optional().openapi({ description: 'What its client calls the session, as a hash' }),
    landing: Placement.optional(),
    gateway: GatewayUse.optional(),
    upstream: Upstream.optional(),
  })
  .openapi('Recording');

const tags = ['recordings'];

const Status = z
  .string()
  .regex(/^[1-5](\d\d|xx)$/)
  .openapi({ example: '4xx', description: 'A status, or a class of them' });

const list = createRoute({
  method: 'get',
  path: '/recordings',
  tags,
  summary: 'Recorded exchanges, oldest first unless `order` is newest, and where each landed',
  request: {
    query: PageQuery.extend({
      provider: z.string().max(100).optional(),
      status: Status.optional(),
      order: z.enum(['oldest', 'newest']).optional(),
      outcome: z.enum(['open', 'done', 'cut', 'refused', 'failed']).optional(),
      tag: z.string().max(100).optional(),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
      model: z.string().max(200).optional(),
      session: z.string().max(200).optional(),
      text: z.string().max(200).optional().openapi({ description: 'Words of the prompt, model, path, tags or error' }),
      minMs: z.coerce.number().optional().openapi({ description: 'Milliseconds that it took at least' }),
      minCost: z.coerce.number().optional().openapi({ description: 'US dollars that it cost at least' }),
    }),
  },
  responses: answers(pageSchema(Recording)),
});

const Body = z
  .object({ text: z.string() })
  .or(z.object({ base64: z.string() }))
  .openapi({ description: 'The exact text, or bytes that are not text' });

const get = createRoute({
  method: 'get',
  path: '/recordings/{recording}',
  tags,
  summary: 'One exchange with its exact request and answer',
  request: { params: z.object({ recording: ExchangeId }) },
  responses: answers(
    z.object({
      recording: Recording,
      request: Body.optional(),
      response: Body,
      upstream: z
        .object({ request: Body, response: Body })
        .optional()
        .openapi({ description: 'What the gateway sent to the provider, and what it got' }),
    }),
  ),
});

export const recordings = apiRouter()
  .openapi(list, async (c) => {
    const { forest, redact, config, costOf } = c.var.services;
    const { status, since, limit = 100, model, session, text, minMs, minCost, ...filters } = c.req.valid('query');
    const oldest = oldestShown(forest, config.retention);
    const from = oldest === undefined ? since : Math.max(since ?? 0, oldest);
    const wanted = { model, session, words: text?.toLowerCase().split(/\s+/).filter(Boolean), minMs, minCost };
    const items: RecordingView[] = [];
    let { after } = filters;
    for (let read = 0; ; ) {
      const page = await listExchanges(forest, {
        ...given({ ...filters, after, since: from }),
        ...(status && { status: readStatus(status) }),
        limit: limit - items.length,
      });
      const spent = await readSpending(forest, page.items, costOf);
      const prompts = await readPrompts(forest, page.items, redact);
      const views = page.items.map((one) => redact(view(one, spent.get(one.id), prompts.get(one.id))));
      items.push(...views.filter((one) => isWanted(one, wanted)));
      read += page.items.length;
      after = page.next;
      // The rest is left to the next page when this one is half full, or took long.
      if (after === undefined || items.length * 2 >= limit || read >= MOST_READ)
        return c.json({ items, ...(after !== undefined && { next: after }) }, 200);
    }
  })
  .openapi(get, async (c) => {
    const { forest, redact, config, costOf } = c.var.services;
    const found = await readRecorded(forest, c.req.valid('param').recording);
    if (!found || found.exchange.start < (oldestShown(forest, config.retention) ?? 0))
      throw new Problem('unknown_exchange', 'There is no such recording.');
    const { exchange, request, response, upstream } = found;
    const bodies = {
      ...(request && { request: toBody(request) }),
      response: toBody(response),
      ...(upstream && { upstream: { request: { text: upstream.request }, response: { text: upstream.response } } }),
    };
    const spent = (await readSpending(forest, [exchange], costOf)).get(exchange.id);
    const prompt = (await readPrompts(forest, [exchange], redact)).get(exchange.id);
    return c.json(redact({ recording: view(exchange, spent, prompt), ...bodies }), 200);
  });

/** How many exchanges are read for one page, if few fit its filters. */
const MOST_READ = 2000;

type RecordingView = z.infer<typeof Recording>;

interface RecordingFilters {
  readonly model: string | undefined;
  readonly session: string | undefined;
  readonly words: readonly string[] | undefined;
  readonly minMs: number | undefined;
  readonly minCost: number | undefined;
}

function isWanted(one: RecordingView, { model, session, words = [], minMs, minCost }: RecordingFilters): boolean {
  const text = [one.prompt, one.model, one.upstream?.model, one.path, one.error, ...one.tags].join(' ').toLowerCase();
  return (
    (model === undefined || one.model === model || one.upstream?.model === model) &&
    (session === undefined || one.session === session) &&
    words.every((word) => text.includes(word)) &&
    (minMs === undefined || (one.end ?? Date.now()) - one.start >= minMs) &&
    (minCost === undefined || (one.cost ?? 0) >= minCost)
  );
}

/** The last messages of the requests in a few words, by their exchanges. */
async function readPrompts(
  forest: Forest,
  exchanges: readonly ListedExchange[],
  redact: Redactor,
): Promise<ReadonlyMap<string, string>> {
  const { store } = forest;
  const ids = new Set(exchanges.flatMap(({ landing }) => landing?.parent ?? []));
  const records = (await store.nodes([...ids])).filter((record) => record !== undefined);
  const nodes = new Map((await readableNodes(store, records)).map(({ id, message }) => [id, message]));
  const prompts = new Map<string, string>();
  let bodies = 0;
  for (const exchange of exchanges) {
    const placed = nodes.get(exchange.landing?.parent ?? '');
    const message = placed ?? (bodies++ < MOST_BODIES ? await readLastMessage(forest, exchange) : undefined);
    if (message) prompts.set(exchange.id, summarize(message, redact, PROMPT_LENGTH));
  }
  return prompts;
}

/** How many bodies are read for one page. */
const MOST_BODIES = 100;

/** The last message of a request that has no place in the forest, because the API refused it or it failed. */
async function readLastMessage(forest: Forest, exchange: ListedExchange): Promise<Message | undefined> {
  if (exchange.dialect === undefined || exchange.kind === 'other') return undefined;
  const request = (await readRecorded(forest, exchange.id))?.request;
  try {
    return request && dialect(exchange.dialect).readRequest(new TextDecoder().decode(request)).messages.at(-1);
  } catch {
    // Whatever it is, it is no request that this protocol has.
    return undefined;
  }
}

const PROMPT_LENGTH = 160;

function readStatus(text: string): number | StatusClass {
  return text.endsWith('xx') ? (text as StatusClass) : Number(text);
}

function view(
  { upstream, ...exchange }: ListedExchange,
  spent: Spending | undefined,
  prompt: string | undefined,
): RecordingView {
  const session = exchange.hints?.group ?? Object.values(exchange.hints?.session ?? {})[0];
  return {
    ...exchange,
    ...(prompt && { prompt }),
    ...(session !== undefined && { session }),
    ...(upstream && { upstream: upstreamView(upstream) }),
    ...(spent && { ...spent, usage: usageView(spent.usage) }),
  };
}

function upstreamView(side: UpstreamSide): z.infer<typeof Upstream> {
  const { provider, dialect, model, host, path, status, attempt, losses, restored = {}, calls } = side;
  return {
    ...{ provider, dialect, model, host, path, attempt, losses: losses.map(lossView) },
    restored: Object.entries(restored).map(([message, exchange]) => ({ message: Number(message), exchange })),
    ...given({ status, calls: calls && { ...calls } }),
  };
}

function toBody(bytes: Uint8Array): z.infer<typeof Body> {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}
