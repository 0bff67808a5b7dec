import { OpenAPIHono, z } from '@hono/zod-openapi';
import { Problem } from '../http/problem.ts';
import type { Services } from '../services.ts';
import { ProblemBody } from './schemas/forest.ts';

/** Exported for the declarations that are generated: the type of every router names it. */
export interface RouterEnv {
  Variables: { services: Services };
}

/** A group of routes whose bodies, paths and queries are checked against their schemas. */
export function apiRouter() {
  return new OpenAPIHono<RouterEnv>({
    defaultHook(result) {
      if (result.success) return;
      const issues = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
      const first = issues[0];
      throw new Problem('bad_request', `${result.target} ${first?.path ?? ''}: ${first?.message ?? 'is wrong'}`, {
        more: { issues },
      });
    },
  });
}

const problems = {
  description: 'What was wrong, and what to do',
  content: { 'application/problem+json': { schema: ProblemBody } },
};

/** The answers of a route: JSON by a schema, or a problem. */
export function answers<Schema extends z.ZodType>(schema: Schema) {
  return { 200: { description: 'OK', content: { 'application/json': { schema } } }, default: problems };
}

/** The same for what makes something new. */
export function creates<Schema extends z.ZodType>(schema: Schema) {
  return { 201: { description: 'Created', content: { 'application/json': { schema } } }, default: problems };
}

/** The same for what goes on after the answer. */
export function accepts<Schema extends z.ZodType>(schema: Schema) {
  return { 202: { description: 'Accepted', content: { 'application/json': { schema } } }, default: problems };
}

/** Answers in another form than JSON; of server-sent events, `schema` describes the data of each. */
export function streams(type: string, description: string, schema: z.ZodType = z.string()) {
  return { 200: { description, content: { [type]: { schema } } }, default: problems };
}

export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true as const };
}

/** Without the members that were not given. */
export function given<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
