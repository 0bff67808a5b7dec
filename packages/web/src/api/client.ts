import { client } from '@skein/server/client';
import type { ClientResponse } from 'hono/client';
import { t } from '../words/words.ts';
import { apiBase, base } from './base.ts';
import { ApiProblem, reach, readProblem } from './problem.ts';

/** The typed client of the server that served this page. Unit tests load it outside a browser, without a location. */
export const api = client((globalThis.location?.origin ?? '') + base);

/** The body of a successful response; throws the problem of any other. */
export async function unwrap<R extends ClientResponse<unknown>>(sent: Promise<R>): Promise<SuccessBody<R>> {
  const response = await reach(sent);
  if (!response.ok) throw await readProblem(response);
  return (await response.json()) as SuccessBody<R>;
}

/** Fetches a path of the API that answers with plain text. */
export async function fetchText(path: string): Promise<string> {
  const response = await reach(fetch(`${apiBase}${path}`));
  if (!response.ok) throw await readProblem(response);
  return response.text();
}

type SuccessBody<R> =
  R extends ClientResponse<infer Body, infer _Status, infer _Format>
    ? Exclude<Body, { code: string; detail: string }>
    : never;

/** Rejects a text that cannot be the id of a node or its beginning: the server's answer would only cite a pattern. */
export function checkNodeId(text: string): string {
  if (/^[0-9a-f]{4,40}$/.test(text)) return text;
  throw new ApiProblem(404, 'unknown_node', t('api.node-missing', { text }));
}
