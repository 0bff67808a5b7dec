import { createRoute, z } from '@hono/zod-openapi';
import { providers as builtIn, hasKey, run, user } from '@skein/core';
import { exportDialects } from '@skein/forest';
import { describeWaiting } from '../http/observability.ts';
import { Problem } from '../http/problem.ts';
import { type Services, usualModel } from '../services.ts';
import { answers, apiRouter, jsonBody } from './router.ts';
import { Name } from './schemas/forest.ts';

const tags = ['about'];

const health = createRoute({
  method: 'get',
  path: '/health',
  tags,
  summary: 'Whether the server and its store are well',
  responses: answers(z.object({ status: z.enum(['ok', 'degraded']), problems: z.array(z.string()) })),
});

const version = createRoute({
  method: 'get',
  path: '/version',
  tags,
  summary: 'Which release this is',
  responses: answers(
    z.object({
      version: z.string(),
      api: z.literal('v1'),
      demo: z.boolean(),
      samples: z.boolean().openapi({ description: 'There are conversations to look at under /samples' }),
    }),
  ),
});

const Provider = z
  .object({
    id: z.string(),
    dialect: z.string(),
    hasKey: z.boolean(),
    keyVariables: z.array(z.string()),
    proxy: z.string().openapi({ description: 'The base address to give to clients of this provider' }),
  })
  .openapi('Provider');

const providers = createRoute({
  method: 'get',
  path: '/providers',
  tags,
  summary: 'Providers, and which of them have a key; never the keys',
  responses: answers(z.object({ items: z.array(Provider) })),
});

const check = createRoute({
  method: 'post',
  path: '/providers/{provider}/check',
  tags,
  summary: 'Asks a provider one short question, to see whether its key works; the key stays on the server',
  request: {
    params: z.object({ provider: Name }),
    body: jsonBody(z.object({ model: z.string().max(300).optional() }).strict()),
  },
  responses: answers(
    z.object({
      works: z.boolean(),
      model: z.string(),
      ms: z.number(),
      problem: z.string().optional().openapi({ description: 'Why it does not work' }),
    }),
  ),
});

const dialectList = createRoute({
  method: 'get',
  path: '/dialects',
  tags,
  summary: 'Protocols that conversations can be exported in',
  responses: answers(z.object({ items: z.array(z.object({ id: z.string(), title: z.string() })) })),
});

const agents = createRoute({
  method: 'get',
  path: '/agents',
  tags,
  summary: 'Agents of this server',
  responses: answers(
    z.object({
      items: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          description: z.string().optional(),
          model: z.string(),
          system: z.string().optional(),
          tools: z.array(z.string()),
        }),
      ),
    }),
  ),
});

const tools = createRoute({
  method: 'get',
  path: '/tools',
  tags,
  summary: 'Tools that a generation may be given',
  responses: answers(z.object({ items: z.array(z.object({ name: z.string(), description: z.string().optional() })) })),
});

const FileProblem = z
  .object({
    severity: z.enum(['error', 'notice']),
    file: z.string(),
    line: z.number().optional(),
    key: z.string().openapi({ description: 'Empty for the whole file' }),
    message: z.string(),
    fix: z.string(),
  })
  .openapi('FileProblem');

const settings = createRoute({
  method: 'get',
  path: '/settings',
  tags,
  summary: 'How the server is set up, without secrets',
  responses: answers(
    z.object({
      project: z.string(),
      model: z.string().optional(),
      store: z.string(),
      presets: z.record(
        z.string(),
        z.object({
          temperature: z.number().optional(),
          maxTokens: z.number().optional(),
          topP: z.number().optional(),
          n: z.number().optional(),
        }),
      ),
      demo: z.boolean(),
      problems: z.array(FileProblem).openapi({
        description: 'What is wrong in the configuration and in agent files; a file with an error is not used',
      }),
    }),
  ),
});

const Model = z
  .object({
    id: z.string().openapi({ example: 'anthropic/claude-sonnet-5' }),
    provider: z.string(),
    model: z.string(),
    contextTokens: z.number().optional(),
    hasKey: z.boolean(),
  })
  .openapi('Model');

const list = createRoute({
  method: 'get',
  path: '/models',
  tags: ['about'],
  summary:
    'Models of the providers that can be asked; the configured one and those of agents come first, then the newest of each provider',
  request: { query: z.object({ provider: z.string().max(100).optional() }) },
  responses: answers(z.object({ items: z.array(Model) })),
});

export const about = apiRouter()
  .openapi(health, (c) => {
    const { forest, recordingTrouble, backlog } = c.var.services;
    const recordings = [recordingTrouble.summary(), describeWaiting(backlog.state())];
    const problems = [
      ...forest.store.problems().map(({ message }) => message),
      ...recordings.filter((one) => one !== undefined),
    ];
    return c.json({ status: problems.length === 0 ? ('ok' as const) : ('degraded' as const), problems }, 200);
  })
  .openapi(version, (c) => {
    const { version: release, demo, hasSamples: samples } = c.var.services;
    return c.json({ version: release, api: 'v1' as const, demo: demo !== undefined, samples }, 200);
  })
  .openapi(providers, (c) => {
    const { providers: known, env } = c.var.services;
    const origin = new URL(c.req.url).origin;
    const items = known.map((one) => ({
      id: one.id,
      dialect: one.dialect,
      hasKey: hasKey(one, { env }),
      keyVariables: [...(one.connection?.keyVariables ?? [])],
      proxy: `${origin}/proxy/${one.id}`,
    }));
    return c.json({ items }, 200);
  })
  .openapi(check, async (c) => {
    const { providers: known, env, redact, closing } = c.var.services;
    const { provider: id } = c.req.valid('param');
    const provider = known.find((one) => one.id === id);
    if (!provider) throw new Problem('unknown_provider', `There is no provider "${id}" on this server.`);
    const model = c.req.valid('json').model ?? usualModel(env, id)?.slice(id.length + 1);
    if (model === undefined) throw new Problem('bad_model', `Say which model of ${id}: no usual one is known.`);
    const started = Date.now();
    const signal = AbortSignal.any([closing, AbortSignal.timeout(CHECK_MS)]);
    const asked = run({
      model: { provider, model, env },
      messages: [user('Answer with one word: hello.')],
      params: { maxTokens: 64 },
      limits: { steps: 1 },
      retry: false,
      signal,
    });
    const problem = await asked.result.then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const result = { works: problem === undefined, model: `${id}/${model}`, ms: Date.now() - started };
    return c.json(redact({ ...result, ...(problem !== undefined && { problem }) }), 200);
  })
  .openapi(dialectList, (c) => {
    const items = exportDialects().map(({ id, title = id }) => ({ id, title }));
    return c.json({ items }, 200);
  })
  .openapi(agents, async (c) => {
    const all = await c.var.services.agents();
    const items = all.map(({ id, name, description, model, system, toolNames }) => ({
      id,
      name,
      ...(description !== undefined && { description }),
      model: `${model.provider.id}/${model.model}`,
      ...(system !== undefined && { system }),
      tools: [...toolNames],
    }));
    return c.json({ items }, 200);
  })
  .openapi(tools, (c) => {
    const items = c.var.services.tools.map(({ name, description }) => ({ name, ...(description && { description }) }));
    return c.json({ items }, 200);
  })
  .openapi(settings, async (c) => {
    const { config, demo, forest, defaultModel, problems, redact } = c.var.services;
    const { store, presets } = config;
    const model = await defaultModel();
    return c.json(
      {
        project: forest.project,
        ...(model !== undefined && { model }),
        store: store.kind,
        presets: { ...presets },
        demo: demo !== undefined,
        problems: redact(
          problems.map(({ severity, file, line, key, message, fix }) => ({
            ...{ severity, file, key, message, fix },
            ...(line !== undefined && { line }),
          })),
        ),
      },
      200,
    );
  })
  .openapi(list, async (c) => {
    const { provider } = c.req.valid('query');
    const all = await listModels(c.var.services);
    return c.json({ items: provider === undefined ? all : all.filter((one) => one.provider === provider) }, 200);
  });

/** How long a provider may take to answer the question of a check, in milliseconds. */
const CHECK_MS = 30_000;

/** Higher versions first. Models without known limits come last: they are old or special. */
function newestFirst(names: readonly string[], limitOf: (name: string) => number | undefined): readonly string[] {
  const isKnown = new Map(names.map((name) => [name, Number(limitOf(name) !== undefined)]));
  return names.toSorted((a, b) => isKnown.get(b)! - isKnown.get(a)! || b.localeCompare(a, 'en', { numeric: true }));
}

async function listModels({ providers, env, defaultModel, agents }: Services): Promise<z.infer<typeof Model>[]> {
  // The list is large, and only this needs it.
  const { listedModels, modelInfoWithLimits } = await import('@skein/core/prices');
  const isBuiltIn = new Set(builtIn().map(({ id }) => id));
  const limitOf = (provider: string, name: string) =>
    isBuiltIn.has(provider) ? modelInfoWithLimits(provider, name).contextTokens : undefined;
  const ofAgents = (await agents()).map((agent) => `${agent.model.provider.id}/${agent.model.model}`);
  const model = await defaultModel();
  const named = [...(model === undefined ? [] : [model]), ...ofAgents];
  const listed = providers
    .filter((one) => hasKey(one, { env }))
    .flatMap(({ id }) => newestFirst(listedModels(id), (name) => limitOf(id, name)).map((name) => `${id}/${name}`));
  return [...new Set([...named, ...listed])].map((id) => {
    const [provider = '', ...rest] = id.split('/');
    const name = rest.join('/');
    const contextTokens = limitOf(provider, name);
    const known = providers.find((one) => one.id === provider || one.aliases?.includes(provider));
    return {
      id,
      provider,
      model: name,
      ...(contextTokens !== undefined && { contextTokens }),
      hasKey: known !== undefined && hasKey(known, { env }),
    };
  });
}
