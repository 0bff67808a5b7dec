import { createRoute, z } from '@hono/zod-openapi';
import { providers as builtIn, hasKey } from '@skein/core';
import type { Services } from '../services.ts';
import { answers, apiRouter } from './route.ts';

const Model = z
  .object({
    id: z.string().openapi({ example: 'anthropic/claude-sonnet-4-5' }),
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
  summary: 'Models of the providers that can be asked; the configured one and those of agents come first',
  request: { query: z.object({ provider: z.string().max(100).optional() }) },
  responses: answers(z.object({ items: z.array(Model) })),
});

export const models = apiRouter().openapi(list, async (c) => {
  const { provider } = c.req.valid('query');
  const all = await modelsOf(c.var.services);
  return c.json({ items: provider === undefined ? all : all.filter((one) => one.provider === provider) }, 200);
});

async function modelsOf({ providers, env, model, agents }: Services): Promise<z.infer<typeof Model>[]> {
  // The list is large, and only this needs it.
  const { listedModels, modelInfoWithLimits } = await import('@skein/core/prices');
  const isBuiltIn = new Set(builtIn().map(({ id }) => id));
  const limitOf = (provider: string, name: string) =>
    isBuiltIn.has(provider) ? modelInfoWithLimits(provider, name).contextTokens : undefined;
  const ofAgents = (await agents()).map((agent) => `${agent.model.provider.id}/${agent.model.model}`);
  const named = [...(model === undefined ? [] : [model]), ...ofAgents];
  const listed = providers
    .filter((one) => hasKey(one, { env }))
    .flatMap(({ id }) => listedModels(id).map((name) => `${id}/${name}`));
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
