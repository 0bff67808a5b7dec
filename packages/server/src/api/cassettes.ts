import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import {
  addIgnoreRules,
  CassetteError,
  type CassetteFolder,
  checkCassettes,
  type IgnoreRule,
  listExchanges,
  openCassettes,
  volatileKind,
} from '@skein/forest';
import { Problem } from '../http/problem.ts';
import { answers, apiRouter, given, jsonBody } from './router.ts';

const tags = ['recordings'];

const Rule = z
  .object({
    path: z.string().min(1).max(500).openapi({ example: 'metadata.user_id' }),
    match: z
      .string()
      .max(2000)
      .optional()
      .openapi({ description: 'Only what this regular expression matches is ignored' }),
  })
  .strict()
  .openapi('IgnoreRule');

const KnownRule = Rule.extend({
  kind: z
    .enum(['time', 'id', 'address', 'path', 'number'])
    .optional()
    .openapi({ description: 'What the expression stands for, if it was learned' }),
}).openapi('KnownRule');

const Cassettes = z
  .object({
    items: z.array(
      z
        .object({
          file: z.string(),
          method: z.string(),
          host: z.string(),
          path: z.string(),
          model: z.string().optional(),
          status: z.number().optional().openapi({ description: 'Absent if there was no response' }),
          tags: z.array(z.string()),
        })
        .openapi('Cassette'),
    ),
    rules: z.array(KnownRule).openapi({ description: 'What a replay does not compare' }),
  })
  .openapi('Cassettes');

const list = createRoute({
  method: 'get',
  path: '/cassettes',
  tags,
  summary: 'The cassettes that tests replay, and the rules for comparing requests with them',
  responses: answers(Cassettes),
});

const check = createRoute({
  method: 'get',
  path: '/cassettes/check',
  tags,
  summary:
    'Which recorded requests the cassettes would answer, where the others drifted, and which cassettes are not needed',
  request: {
    query: z.object({
      tag: z.string().max(200).optional(),
      since: z.coerce.number().optional(),
      until: z.coerce.number().optional(),
    }),
  },
  responses: answers(
    z.object({
      requests: z.number().openapi({ description: 'How many were compared: the newest 500 at most' }),
      hits: z.number(),
      drifted: z.array(
        z
          .object({
            exchange: z.string(),
            start: z.number(),
            method: z.string(),
            path: z.string(),
            file: z.string().openapi({ description: 'The nearest cassette' }),
            message: z.string().openapi({ description: 'Where they differ' }),
          })
          .openapi('DriftedRequest'),
      ),
      elsewhere: z.number().openapi({ description: 'How many went to addresses that no cassette has' }),
      unused: z.array(z.string()).openapi({ description: 'Cassettes that answer none of the requests' }),
      proposals: z
        .array(KnownRule)
        .openapi({ description: 'Rules under which more would be answered, for a person to accept' }),
    }),
  ),
});

const accept = createRoute({
  method: 'post',
  path: '/cassettes/rules',
  tags,
  summary: 'Adds rules to those of the cassettes',
  request: { body: jsonBody(z.object({ rules: z.array(Rule).min(1).max(100) }).strict()) },
  responses: answers(Cassettes),
});

export const cassetteRoutes = apiRouter()
  .openapi(list, async (c) => {
    const { config, redact } = c.var.services;
    return c.json(redact(await view(await open(config.cassettes))), 200);
  })
  .openapi(check, async (c) => {
    const { config, forest, redact } = c.var.services;
    const found = await checkCassettes(forest, await open(config.cassettes), given(c.req.valid('query')));
    const { drifted, unused, proposals, ...counts } = found;
    return c.json(
      redact({
        ...counts,
        drifted: drifted.map((one) => ({ ...one })),
        unused: [...unused],
        proposals: proposals.map(ruleView),
      }),
      200,
    );
  })
  .openapi(accept, async (c) => {
    const { config, redact } = c.var.services;
    const folder = config.cassettes;
    if (!existsSync(folder))
      throw new Problem('bad_request', 'There are no cassettes: "skein record --to cassettes -- program" writes them.');
    const rules = c.req.valid('json').rules.map(({ path, match }) => ({ path, ...given({ match }) }));
    await readable(folder, async () => addIgnoreRules(folder, rules));
    return c.json(redact(await view(await open(folder))), 200);
  });

function open(folder: string): Promise<CassetteFolder> {
  return readable(folder, () => openCassettes(folder));
}

/** Clients are told the file and its line, but not where the folder is. */
async function readable<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    throw new Problem('unreadable_cassette', error.message.replaceAll(`${folder}${sep}`, ''));
  }
}

async function view({ forest, files, ignore }: CassetteFolder): Promise<z.infer<typeof Cassettes>> {
  const { items } = await listExchanges(forest, { limit: Math.max(1, files.size) });
  return {
    items: items.map(({ id, method, host, path, model, status, tags: own }) => ({
      ...{ file: files.get(id) ?? id, method, host, path, tags: [...own] },
      ...given({ model, status }),
    })),
    rules: ignore.map(ruleView),
  };
}

function ruleView({ path, match }: IgnoreRule): z.infer<typeof KnownRule> {
  const kind = match === undefined ? undefined : volatileKind(match);
  return { path, ...given({ match, kind }) };
}
