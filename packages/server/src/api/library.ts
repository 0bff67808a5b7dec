import { createRoute, z } from '@hono/zod-openapi';
import { findProvider } from '@skein/agents';
import type { Services } from '../services.ts';
import { answers, apiRouter, jsonBody } from './router.ts';

const tags = ['forest'];

const PromptName = z
  .string()
  .max(100)
  .regex(/^[\p{Ll}\p{Lo}\p{N}]+(-[\p{Ll}\p{Lo}\p{N}]+)*$/u)
  .openapi({ description: 'What is typed after a slash: small letters, digits and single hyphens' });

const Library = z
  .object({
    model: z.string().optional().openapi({ description: 'The chosen model of new conversations' }),
    prompts: z.array(z.object({ name: z.string(), text: z.string() })),
  })
  .openapi('Library');

const read = createRoute({
  method: 'get',
  path: '/library',
  tags,
  summary: 'The prompts, and the model that was chosen for new conversations',
  responses: answers(Library),
});

const save = createRoute({
  method: 'put',
  path: '/library/prompts/{prompt}',
  tags,
  summary: 'Stores a prompt; `{{name}}` in its text is a variable',
  request: {
    params: z.object({ prompt: PromptName }),
    body: jsonBody(
      z
        .object({
          text: z.string().min(1).max(100_000),
          before: PromptName.optional().openapi({ description: 'The name that it had until now' }),
        })
        .strict(),
    ),
  },
  responses: answers(Library),
});

const remove = createRoute({
  method: 'delete',
  path: '/library/prompts/{prompt}',
  tags,
  summary: 'Removes a prompt',
  request: { params: z.object({ prompt: PromptName }) },
  responses: answers(Library),
});

const choose = createRoute({
  method: 'put',
  path: '/library/model',
  tags,
  summary: 'Chooses the model of new conversations; null leaves it to the configuration',
  request: {
    body: jsonBody(
      z
        .object({
          model: z
            .string()
            .regex(/^[^/]+\/.+$/)
            .max(300)
            .nullable(),
        })
        .strict(),
    ),
  },
  responses: answers(Library),
});

export const libraryRoutes = apiRouter()
  .openapi(read, async (c) => c.json(await view(c.var.services), 200))
  .openapi(save, async (c) => {
    const { text, before } = c.req.valid('json');
    await c.var.services.forest.library.savePrompt({ name: c.req.valid('param').prompt, text }, before);
    return c.json(await view(c.var.services), 200);
  })
  .openapi(remove, async (c) => {
    await c.var.services.forest.library.removePrompt(c.req.valid('param').prompt);
    return c.json(await view(c.var.services), 200);
  })
  .openapi(choose, async (c) => {
    const { forest, config } = c.var.services;
    const { model } = c.req.valid('json');
    // A provider that is not there is refused here, and not at the next message.
    if (model !== null) findProvider(model.split('/')[0]!, config.providers);
    await forest.library.chooseModel(model ?? undefined);
    return c.json(await view(c.var.services), 200);
  });

async function view({ forest, redact }: Pick<Services, 'forest' | 'redact'>) {
  const model = await forest.library.model();
  const prompts = await forest.library.prompts();
  return redact({ prompts: prompts.map((prompt) => ({ ...prompt })), ...(model !== undefined && { model }) });
}
